#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cli/progress.h"
#include "cli/row_file.h"
#include "cli/scores/score_table.h"
#include "cli/stop_signal.h"
#include "cli/stream/flags.h"
#include "cli/stream/model.h"
#include "cli/stream/record.h"
#include "io/csv_writer.h"
#include "io/open_rows.h"

namespace splitgp {

/// One run of `splitgp stream`. While an input keeps it waiting, it hands on the predictions made
/// and commits when that is due.
class StreamRun : private Waiter {
 public:
  explicit StreamRun(const StreamFlags& flags);
  /// Reads everything, or until a signal, the limit or a strict rejection.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class End { input, limit, signal };

  // The inputs, in run.cc.
  End read_all();
  End read_input(const std::string& path);
  End read_rows_of(RowReader& reader, const std::string& source);
  void open_model();
  void check_flags(RowReader& reader);
  void make_model(RowReader& reader, const std::string& name);
  void make_file();
  Durability durability() const;
  void begin_record();
  std::string source_key(const std::string& path) const;

  // One row, in rows.cc.
  bool learn(const Row& row, RejectedRow& rejected);
  void reject(const RejectedRow& rejected, const std::string& source);
  void write_prediction(const ScoredRow& row);
  void add_to_table();

  // Waiter, and what becomes durable, in commit.cc.
  void before_wait() override;
  int milliseconds_to_idle() override;
  void idle() override;
  int end_descriptor() const override { return stop_.descriptor(); }
  void commit_if_due();
  void commit();
  void flush_files();
  double busy_seconds() const;
  std::optional<double> share_read() const;
  /// Rows came, and every one was rejected.
  bool learned_nothing() const { return rows_this_run_ > 0 && learned_this_run_ == 0; }
  void print_summary();
  void print_rejections() const;

  const StreamFlags& flags_;
  StopSignal stop_;
  std::FILE* table_to_;
  Progress progress_;
  std::optional<StreamModel> model_;
  std::optional<StreamRecord> record_;
  std::optional<ScoreTable> table_;
  std::unique_ptr<RowFile> predictions_;
  std::unique_ptr<RowFile> rejects_;
  CsvLine line_;

  const FileSource* input_ = nullptr;  // being read
  std::uint64_t bytes_before_ = 0;     // in the inputs before it
  std::optional<std::uint64_t> bytes_total_;
  std::map<std::string, std::uint64_t> positions_;  // changed since the last commit
  std::uint64_t rows_this_run_ = 0;
  std::uint64_t learned_this_run_ = 0;
  std::uint64_t rejected_this_run_ = 0;
  std::uint64_t skipped_ = 0;
  std::string first_rejection_;
  std::string first_rejected_column_;

  Clock::time_point start_ = Clock::now();
  double waited_before_ = 0.0;  // for the inputs before the current one
  double record_seconds_at_start_ = 0.0;
  double table_seconds_ = 0.0;  // when the last line of the table was printed
  std::uint64_t table_rows_ = 0;
  std::uint64_t rows_since_commit_ = 0;
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace splitgp
