#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cli/row_file.h"
#include "cli/scores/scores.h"
#include "cli/stream/model.h"
#include "cli/stream/reading.h"
#include "cli/stream/record.h"
#include "io/csv_writer.h"

namespace splitgp {

/// The second part of a stream: what it leaves behind, and when that becomes durable. The model
/// file with its notes and positions is committed as one; the files of predictions and rejects are
/// written before it, because a resumed run can cut off a surplus but not make up for a loss.
///
/// While an input keeps the stream waiting, it hands on the rows written so far, and commits when
/// that is due.
class Committing : public Waiter {
 public:
  Committing(const StreamFlags& flags, const StopSignal& stop) : flags_(flags), stop_(stop) {}

  /// Opens the files of predictions and rejects, after the rows that `record` knows of. The
  /// arguments must outlive it.
  void begin(StreamModel& model, StreamRecord& record, const Reading& reading);

  /// Makes the model file, if one is wanted and not there yet.
  void make_file();
  /// REQUIRES: the row is counted in the record, as it is its number there that is written.
  void write_prediction(const ScoredRow& row);
  void write_rejected(const RejectedRow& rejected);
  /// A row more to commit; does so if it is time.
  void count_row();
  void commit();

 private:
  using Clock = std::chrono::steady_clock;

  void before_wait() override { flush_files(); }
  int milliseconds_to_idle() override;
  void idle() override { commit_if_due(); }
  int end_descriptor() const override { return stop_.descriptor(); }

  void commit_if_due();
  void flush_files();
  double seconds_to_commit() const;

  const StreamFlags& flags_;
  const StopSignal& stop_;
  StreamModel* model_ = nullptr;
  StreamRecord* record_ = nullptr;
  const Reading* reading_ = nullptr;
  std::unique_ptr<RowFile> predictions_;
  std::unique_ptr<RowFile> rejects_;
  CsvLine line_;
  std::map<std::string, std::uint64_t> saved_fronts_;  // bytes, by source
  double seconds_before_ = 0.0;                        // of earlier runs
  std::uint64_t rows_since_commit_ = 0;
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace splitgp
