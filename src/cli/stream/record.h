#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/scores/scores.h"

namespace splitgp {

/// What a stream remembers between runs besides the model: rows counted, scores, and the table so
/// far. Kept as JSON in three notes of the model file, "stream", "stream_windows" and
/// "stream_sample" (docs/command.md).
struct StreamRecord {
  explicit StreamRecord(Eigen::Index outputs) : scores(outputs) {}

  std::uint64_t rows_read = 0;  ///< Always learned + rejected.
  std::uint64_t learned = 0;
  std::uint64_t rejected = 0;
  double seconds = 0.0;  ///< Spent, without waiting for input.
  Scores scores;
  std::vector<ScoreLine> table;

  using ReadNote = std::function<std::optional<std::string>(const std::string& key)>;
  using WriteNote = std::function<void(const std::string& key, std::string text)>;

  /// As it was written; as new if there are no notes. Throws CommandError if they make no sense.
  static StreamRecord load(Eigen::Index outputs, const ReadNote& note);

  /// Writes the notes that have changed since this record last wrote or was loaded.
  void save(const WriteNote& set_note);

 private:
  std::optional<std::uint64_t> saved_windows_;
  std::optional<std::uint64_t> saved_sample_;
};

}  // namespace splitgp
