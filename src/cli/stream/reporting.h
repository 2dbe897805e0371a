#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "cli/progress.h"
#include "cli/scores/score_table.h"
#include "cli/stream/model.h"
#include "cli/stream/reading.h"
#include "cli/stream/record.h"
#include "table/finder.h"

namespace splitgp {

/// The reporting part of a stream: what the user sees. The table and the summary go to standard
/// output, or to standard error if predictions take standard output; progress and warnings go to
/// standard error.
class Reporting {
 public:
  explicit Reporting(const StreamFlags& flags);

  /// Says what the columns of a new model were taken for.
  void print_recipe(const table::Found& found, std::size_t rows);
  /// Prints the table of earlier runs. The arguments must outlive this object.
  void begin(const StreamModel& model, StreamRecord& record, const Reading& reading);
  /// To be called for each row learned and scored. At 1, 2, 4, 8, … rows it adds a line to the
  /// table, both the printed one and the record's.
  void add_learned();
  void add_rejected(const RejectedRow& rejected);
  void add_predicted() { ++predicted_; }  ///< A row without a target.
  void add_early() { ++early_; }          ///< A row too early for its lags.
  /// Cheap enough for every row.
  void show_progress();
  void warn(const std::string& message);
  void print_summary();

  /// There were rows, and every one was rejected.
  bool learned_nothing() const { return rejected_ > 0 && learned_ + predicted_ + early_ == 0; }

 private:
  void warn_of_age();
  void print_outputs() const;
  void print_filled() const;
  void print_rejections() const;

  const StreamFlags& flags_;
  std::FILE* to_;
  const StreamModel* model_ = nullptr;
  StreamRecord* record_ = nullptr;
  const Reading* reading_ = nullptr;
  Progress progress_;
  std::optional<ScoreTable> table_;
  double line_seconds_ = 0.0;  // when the last line of the table was printed
  std::uint64_t line_rows_ = 0;

  std::uint64_t learned_ = 0;  // in this run
  std::uint64_t rejected_ = 0;
  std::uint64_t predicted_ = 0;
  std::uint64_t early_ = 0;
  std::string first_rejection_;
  std::string first_rejected_column_;
};

}  // namespace splitgp
