#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/scores/scores.h"
#include "splitgp/model_file.h"

namespace splitgp {

/// What a stream remembers between runs besides the model: counts of rows, scores, and the table so
/// far. Stored as JSON in three notes of the model file, "stream", "stream_windows" and
/// "stream_sample" (docs/command.md).
struct StreamRecord {
  explicit StreamRecord(Eigen::Index outputs) : scores(outputs) {}

  /// Always learned + predicted + early + rejected + those that wait for their target.
  std::uint64_t rows_read = 0;
  std::uint64_t learned = 0;
  std::uint64_t predicted = 0;  ///< Only predicted, because they have no target.
  std::uint64_t early = 0;      ///< Too early for their lags.
  std::uint64_t rejected = 0;
  double seconds = 0.0;  ///< Spent, excluding waits for input.
  Scores scores;
  std::vector<ScoreLine> table;

  using ReadNote = std::function<std::optional<std::string>(const std::string& key)>;
  using WriteNote = std::function<void(const std::string& key, std::string text)>;

  /// The record in the notes; an empty one without notes. Throws CommandError if they are invalid.
  static StreamRecord load(Eigen::Index outputs, const ReadNote& note);

  /// Writes the notes that have changed since the last save() or load().
  void save(const WriteNote& set_note);
  /// Writes the counts alone, with the scores and the table as of the last save(): a few kB.
  void save_counts(const WriteNote& set_note);

 private:
  void keep_scores();
  // Of the last save() or load(), as JSON; empty: none yet.
  std::string saved_scores_, saved_table_;
  std::optional<std::uint64_t> saved_windows_;
  std::optional<std::uint64_t> saved_sample_;
};

/// Drops the sampled rows that the model no longer holds from the notes: a sample has what was
/// observed.
void drop_forgotten(ModelFile& file);

}  // namespace splitgp
