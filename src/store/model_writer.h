#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/api/journal.h"
#include "core/model/model_state.h"
#include "store/drift_parts.h"
#include "store/table_rows.h"

namespace splitgp::store {

/// Writes a model's changes. It remembers what the file already holds, so the cost is that of the
/// new observations, whatever the model's size; only while local GPs are behind a new θ does it
/// also look at each of them. For a model that forgets the cost is that of the lists of the local
/// GPs that have changed.
class ModelWriter {
 public:
  ModelWriter(Database& database, Eigen::Index inputs, Eigen::Index outputs,
              std::vector<std::string> input_names, std::vector<std::string> output_names);

  /// Writes into a new file.  REQUIRES: a transaction.
  void write_all(const ModelState& model);
  /// Continues with `model`, which was just read from the file.
  void resume(const ModelState& model);

  /// Writes what has changed since the last committed().  REQUIRES: a transaction.
  void write_changes(const ModelState& model, const Journal& journal);
  /// The transaction was committed; the caller tells Drift::written(). Without this call the next
  /// write_changes() writes the same changes again.
  void committed();
  /// Whether the file has lists, so that its bytes have to be looked after (store/scrub.h).
  bool listed() const { return held_.listed; }

 private:
  // How much the file holds.
  struct Held {
    std::uint64_t observations = 0;  // that were learned
    std::uint64_t splits = 0;        // and these with those that were dropped
    std::uint64_t trainings = 0;
    std::size_t local_gps = 0;
    std::uint64_t theta_version = 0;
    std::uint64_t alarms = 0;
    bool all_current = true;  // every local GP has that θ
    std::uint64_t splits_dropped = 0;
    std::uint64_t trainings_dropped = 0;
    bool listed = false;  // who holds what is in lists
  };

  Held held_by(const ModelState& model) const;
  void write_start(const ModelState& model);
  void write_rows(const ModelState& model, const Journal& journal);
  void write_lists(const ModelState& model);
  void drop_histories(const ModelState& model);
  void write_histories(const ModelState& model, const Journal& journal);
  void write_local_gps(const ModelState& model);
  void write_theta_once(const Hyperparameters& theta, std::uint64_t version);
  void write_numbers(const ModelState& model);

  Database& database_;
  Eigen::Index inputs_;
  Eigen::Index outputs_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  TableWriter observation_, borrowing_, split_, training_, training_more_, theta_, theta_trend_,
      theta_trend_range_;
  TableWriter local_gp_, input_, output_, running_, model_, points_, time_;
  RowEraser erase_observation_, erase_time_, erase_local_gp_, erase_points_, erase_split_;
  RowEraser erase_training_, erase_training_more_, erase_theta_, erase_theta_trend_,
      erase_theta_trend_range_;
  TableWriter alarm_;
  DriftParts drift_parts_;

  Held held_;
  std::set<std::uint64_t> thetas_;           // in the file
  std::vector<std::uint64_t> local_thetas_;  // in the file, of each local GP

  Held next_;  // the above after the current transaction
  std::set<std::uint64_t> new_thetas_;
  std::vector<std::uint64_t> dropped_thetas_;
  std::vector<std::pair<std::size_t, std::uint64_t>> new_local_thetas_;
};

}  // namespace splitgp::store
