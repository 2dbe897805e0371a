#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "table/recipe.h"
#include "table/resemblance.h"

namespace splitgp::table {

/// A row that was answered and waits for its target, which comes `horizon` rows later.
struct WaitingRow {
  std::vector<double> inputs;
  std::vector<double> answer;  ///< Whatever its owner wants to have back.
};

/// What a recipe remembers from row to row: means and last values that fill gaps, earlier values of
/// lagged columns, rows that wait for their target. All of it goes into notes of the model file, so
/// that a stream continues as if it had not been interrupted.
class RecipeState {
 public:
  explicit RecipeState(const Recipe& recipe);

  /// The row was accepted: it becomes part of means and lags. `row` is from apply() with this
  /// state.
  void take(const Recipe& recipe, const Applied& row);

  /// The row that this one brings the target for, if the recipe has a horizon; it is removed. To be
  /// called once for each row taken, before wait().
  std::optional<WaitingRow> arrived(const Recipe& recipe, const Applied& row);
  /// `row` was answered and waits for its target.
  void wait(const Applied& row, WaitingRow waiting);
  /// The row is too early to be answered, but counts for those that wait.
  void wait_in_vain(const Recipe& recipe, const Applied& row);
  std::uint64_t waiting() const { return waiting_; }

  /// How often a gap in each column of the recipe was filled.
  const std::vector<std::uint64_t>& filled() const { return filled_; }
  std::size_t series() const { return series_.size(); }

  using ReadNote = std::function<std::optional<std::string>(const std::string& key)>;
  using WriteNote = std::function<void(const std::string& key, std::string text)>;
  /// Writes the notes that have changed since the last save() or load(): "table_state", and
  /// "table_series N" for each series.
  void save(const WriteNote& set_note);
  /// Throws FileError if a note makes no sense.
  static RecipeState load(const Recipe& recipe, const ReadNote& note);

 private:
  friend class Recipe;
  /// What the first value of an open column was.
  enum class Opened : std::uint8_t { not_yet, number, category };
  struct Series {
    std::string name;
    std::size_t number = 0;                  // in the order they came
    std::vector<double> last;                // of each column; NaN: none yet
    std::vector<std::uint64_t> last_row;     // where it was, as `rows` counts; if gaps are guessed
    std::vector<std::vector<double>> rings;  // of each lagged column, the oldest at `rows` % size
    std::uint64_t rows = 0;
    std::deque<WaitingRow> waiting;
    bool changed = false;
  };
  const Series* find(const std::string& name) const;
  Series& series_of(const std::string& name);
  double fill_of(const Recipe& recipe, std::size_t column, const Series* series) const;
  // The value `rows` rows before the next one; empty if the series is not that long.
  static std::optional<double> lagged(const Series& series, std::size_t lag_column, int rows);
  std::string series_text(const Series& series) const;
  void read_series(const std::string& text);

  std::size_t columns_ = 0;
  std::vector<std::size_t> ring_sizes_;
  std::vector<std::uint64_t> count_;  // of the values seen in each column
  std::vector<double> mean_;
  std::vector<Resemblance> resemblances_;  // empty unless gaps are guessed
  std::vector<std::uint64_t> filled_;
  std::vector<Opened> opened_;  // of each column; used for those left open
  std::map<std::string, Series, std::less<>> series_;
  std::uint64_t waiting_ = 0;
  bool changed_ = false;
};

}  // namespace splitgp::table
