#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/row_file.h"
#include "cli/stream/model.h"

namespace splitgp {

/// `--events FILE`: what happened to the model, one JSON object a line (docs/command.md), each with
/// the row that caused it. Continued like the files of predictions and rejects.
class Events {
 public:
  /// With `resume_after`, the file is continued after that row.
  Events(const std::string& path, const StreamModel& model,
         std::optional<std::uint64_t> resume_after);

  /// What the row did: splits, trainings, alarms, and what was forgotten.
  void add(std::uint64_t row, const UpdateResult& result);
  /// A row that was not learned; with what was expected if it is an outlier.
  void add_rejected(std::uint64_t row, const std::string& source, std::uint64_t line,
                    const std::string& reason, const UpdateResult* outlier);
  /// Trainings that have not been told.
  void add_trainings(std::uint64_t row);
  /// Another model, which has learned the same rows, took the place of the one before.
  void begin_anew();
  void flush() { file_.flush(); }

 private:
  void add_alarms(std::uint64_t row, const UpdateResult& result);

  const StreamModel& model_;
  RowFile file_;
  std::uint64_t trainings_;  // told so far
};

}  // namespace splitgp
