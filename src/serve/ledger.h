#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/database.h"
#include "store/table_rows.h"

namespace splitgp::serve {

struct LedgerLimits {
  std::uint64_t ids = 1'000'000;    ///< Answers remembered, the newest.
  std::uint64_t waiting = 100'000;  ///< Rows that wait for their labels, the newest.
};

/// What was answered to a row with an id.
struct KeptAnswer {
  std::uint64_t fingerprint = 0;  ///< Of the row, to notice an id that is used for another one.
  std::optional<std::uint64_t> sequence;
  std::string answer;
};

/// A row that was predicted and waits for its label.
struct WaitingLabel {
  std::vector<double> inputs;
  double time = 0.0;         ///< Of the row, in the recipe's seconds; NaN: none.
  std::vector<double> said;  ///< What was predicted, as its owner packs it.
};

/// Ids of rows that were learned, with the answers given, and rows that wait for their labels: two
/// tables of the model file, written in the transaction that writes the model. So a row is learned
/// if and only if its id is known, whenever the process is killed (docs/model_file.md).
///
/// Both are bounded: the oldest go first. Threads: one, that of the connection.
class Ledger {
 public:
  /// Whether the file has the tables.
  static bool is_in(const store::Database& database);
  /// Makes them if it has not. `database` must outlive the ledger.
  Ledger(store::Database& database, LedgerLimits limits);

  /// Written or not yet.
  std::optional<KeptAnswer> answer_to(const std::string& id);
  std::optional<WaitingLabel> waiting(const std::string& id);

  void keep(const std::string& id, KeptAnswer answer);
  void wait(const std::string& id, WaitingLabel row);
  /// Its label came: it no longer waits.
  void arrive(const std::string& id);
  /// The answers to rows that were forgotten are emptied; their ids stay.
  void forget(std::vector<std::uint64_t> sequences);
  void forget_before(std::uint64_t sequence);

  bool changed() const;
  /// Writes what has changed. Call within a transaction; if that fails, again within the next.
  void write();
  /// The transaction was committed.
  void written();

  std::uint64_t n_waiting() const { return n_waiting_; }
  std::uint64_t n_dropped() const {
    return n_dropped_;
  }  ///< Of those that waited, since the start.
  std::uint64_t n_ids() const { return n_ids_; }

 private:
  using Statement = store::StatementPointer;
  Statement prepare(const char* sql) const;
  void run(const Statement& statement);
  void drop_oldest();

  store::Database& database_;
  LedgerLimits limits_;
  Statement find_id_, find_waiting_, erase_waiting_, drop_ids_, drop_waiting_, oldest_waiting_;
  std::unique_ptr<store::TableWriter> id_writer_, waiting_writer_;

  std::uint64_t next_id_ = 0, next_waiting_ = 0;  // numbers in the tables
  std::uint64_t n_ids_ = 0, n_waiting_ = 0, n_dropped_ = 0;
  // Not written yet:
  struct NewAnswer {
    std::uint64_t number;
    KeptAnswer kept;
  };
  std::unordered_map<std::string, NewAnswer> new_answers_;
  struct NewWaiting {
    std::uint64_t number;
    WaitingLabel row;
  };
  std::unordered_map<std::string, NewWaiting> new_waiting_;
  std::map<std::uint64_t, std::string> new_order_;    // their ids by number
  std::map<std::string, bool, std::less<>> arrived_;  // of those in the table
  std::vector<std::uint64_t> forgotten_;              // sorted
  std::uint64_t forgotten_before_ = 0;
  std::uint64_t drop_below_ = 0;  // of waiting rows, by number
  bool table_waits_ = true;       // maybe: rows from drop_below_ on
};

}  // namespace splitgp::serve
