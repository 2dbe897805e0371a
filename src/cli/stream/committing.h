#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cli/row_file.h"
#include "cli/scores/scores.h"
#include "cli/stream/events.h"
#include "cli/stream/model.h"
#include "cli/stream/reading.h"
#include "cli/stream/record.h"
#include "io/csv_writer.h"

namespace splitgp {

/// The committing part of a stream: what becomes durable, and when. The model, its notes and the
/// positions are committed in one transaction. The files of predictions, rejects and events are
/// flushed before it, because a resumed run can cut off surplus rows, but cannot restore lost ones.
///
/// As the Waiter, it flushes these files before a wait for input, and commits during one when that
/// is due.
class Committing : public Waiter {
 public:
  Committing(const StreamFlags& flags, const StopSignal& stop) : flags_(flags), stop_(stop) {}

  /// Opens the files of predictions, rejects and events, to continue after the rows in `record`.
  /// The arguments must outlive this object.
  void begin(StreamModel& model, StreamRecord& record, const Reading& reading);

  /// Creates the model file, if one is wanted and does not exist yet.
  void make_file();
  /// REQUIRES: the row is counted in the record already; that count is its number in the files.
  /// A target that is not known yet is left empty.
  void write_prediction(const ScoredRow& row);
  /// `outlier` is what the model said of it, if it said anything.
  void write_rejected(const RejectedRow& rejected, const UpdateResult* outlier);
  void write_events(const UpdateResult& result);
  /// Of a training that no row has ended.
  void write_last_trainings();
  /// The model has grown (StreamModel::become).
  void begin_anew();
  /// Adds a row to the next commit, and commits if that is due.
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
  std::unique_ptr<Events> events_;
  CsvLine line_;
  std::map<std::string, std::uint64_t> saved_fronts_;  // bytes, by source
  double seconds_before_ = 0.0;                        // of earlier runs
  std::uint64_t rows_since_commit_ = 0;
  Clock::time_point last_commit_ = Clock::now();
};

}  // namespace splitgp
