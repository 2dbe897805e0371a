#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "table/cell.h"
#include "table/stamp.h"
#include "table/wishes.h"

namespace splitgp::table {

class RecipeState;

/// What a column of the table is used as.
enum class Use {
  number,
  boolean,   ///< One input: 0 or 1.
  ordered,   ///< Text on a known scale, low < medium < high: one input.
  category,  ///< Text: a code of fixed width.
  time,      ///< Part of a point in time, which may take several columns.
  open,      ///< Empty in the few first rows: its first value will show, a number or a category.
  none,      ///< Not an input: a target, what keeps series apart, or a column left out.
};

/// Which part of a point in time a column holds.
enum class TimePart {
  stamp,
  date,
  clock,
  year,
  month,
  day,
  hour,
  minute,
  second,
  unix_seconds,
  unix_milliseconds
};

struct Column {
  std::string name = {};
  Use use = Use::none;
  std::string why = {};  ///< For people: what it was taken for, and why.
  /// Number, boolean and ordered: what fills a gap before there was any value.
  double start = 0.0;
  bool marked = false;  ///< Has an input of its own that says whether the value is missing.
  /// Boolean: {no, yes}; ordered: the scale; category: the levels that were common at first.
  std::vector<std::string> levels = {};
  int width = 0;  ///< Of a category's code.
  TimePart part = TimePart::stamp;
};

/// A point in time, from one column or several.
struct TimeColumns {
  std::vector<std::size_t> columns = {};
  DateOrder order = DateOrder::day_first;
  bool ordered = false;  ///< A date among the first rows, or the user, makes the order matter.
  bool dated = true;     ///< false: a time of day alone.
  bool zoned = false;
  double origin = 0.0;  ///< Of the first row; inputs are hours since.
  std::vector<Cycle> cycles = {};
};

/// Inputs of the model that belong together: what a person calls a column of the table.
struct Feature {
  std::string name;
  Use use = Use::number;
  std::size_t column = 0;  ///< In columns(); for a time, in times().
  int lag = 0;             ///< Rows before; 0: the row itself. (A target's lag may be 0 too.)
  bool is_lag = false;
  std::size_t first = 0;  ///< In the inputs.
  std::size_t count = 1;
};

/// A row as the model needs it. Reuse one object for many rows.
struct Applied {
  enum class Outcome {
    ready,     ///< `inputs` are set, and `targets` if target_known.
    early,     ///< Sound, but the lags reach back before the first row of its series.
    rejected,  ///< `reason` says why.
  };
  Outcome outcome = Outcome::rejected;
  std::string reason;  ///< Names the column and the value.
  std::string column;  ///< The one that does not fit; may be empty.
  std::vector<double> inputs;
  std::vector<double> targets;
  /// In seconds, of the recipe's first time; NaN: it has none.
  double time = std::numeric_limits<double>::quiet_NaN();
  bool target_known = false;  ///< A row without its targets is there to be predicted.
  bool guessed = false;       ///< A value is a guess that is there more often than not.
  // What RecipeState::take() needs.
  std::vector<double> values;       ///< Of each column; NaN: missing.
  std::vector<std::size_t> worded;  ///< Open columns in which the row has a text.
  std::string series;
};

/// How a row of a table becomes inputs of a model: found once from the first rows (finder.h), kept
/// with the model, and never changed. What does change from row to row is the RecipeState; what an
/// open column turned out to be is in it, too.
///
/// Threads: const means const.
class Recipe {
 public:
  struct Parts {
    std::vector<Column> columns;  ///< Those the recipe reads, and those left out by name.
    std::vector<TimeColumns> times;
    std::vector<std::size_t> targets;
    std::vector<Lags> lags;
    std::string by;
    int horizon = 0;
    Fill fill = Fill::mean;
    std::vector<std::string> missing;
    char decimal_mark = '.';
  };
  /// Throws InvalidArgument if the parts contradict each other.
  explicit Recipe(Parts parts);

  /// Numbers and nothing else: what a model without a recipe expects. A gap is a reason to reject.
  static Recipe plain(const std::vector<std::string>& inputs,
                      const std::vector<std::string>& targets, char decimal_mark);

  /// The columns that apply() needs, in the order of its cells. A reader may lack targets where
  /// only predictions are wanted, and columns that only lags read: their cells are then missing.
  const std::vector<std::string>& read_columns() const { return read_names_; }
  /// The names of the inputs and outputs of the model.
  const std::vector<std::string>& input_names() const { return input_names_; }
  std::vector<std::string> target_names() const;
  /// The columns that are inputs, as the table calls them.
  std::vector<std::string> used_columns() const;
  /// One number for each input; equal numbers share a length scale. Empty if none do.
  const std::vector<int>& length_scale_groups() const { return groups_; }
  const std::vector<Feature>& features() const { return features_; }
  const std::vector<Column>& columns() const { return parts_.columns; }
  const std::vector<TimeColumns>& times() const { return parts_.times; }
  const Parts& parts() const { return parts_; }
  int horizon() const { return parts_.horizon; }
  /// The row to be answered comes so many rows after the last one whose target is known.
  int rows_ahead() const { return parts_.horizon > 0 ? parts_.horizon : 1; }
  /// Whether each input is simply the number of one column.
  bool is_plain() const;

  /// `cells` are those of read_columns(). Neither recipe nor state change; RecipeState::take() is
  /// for when the row was accepted.
  void apply(Cells cells, const RecipeState& state, Applied& row) const;

  /// The inputs of one feature for a value as a person writes it, for charts: hours since the
  /// origin for a time, a level's number in Column::levels for a category.
  void set_feature(const Feature& feature, double value, std::vector<double>& inputs) const;

  /// One line for each column: name, what it was taken for and why.
  std::vector<std::string> explanation() const;
  /// The flags of `splitgp stream` that ask for this recipe, as TOML. Columns of `header` whose
  /// names TOML or a list cannot hold are given by number.
  std::string flags_toml(const std::vector<std::string>& header = {}) const;

  /// JSON, for the model file: from_text(to_text()) is the same recipe to the bit. Throws
  /// FileError.
  std::string to_text() const;
  static Recipe from_text(const std::string& text);

  /// Why these wishes cannot be met by this recipe: the flag, what was asked and what is kept;
  /// empty if they can. Wishes left empty agree with anything.
  std::string disagreement(const Wishes& wishes) const;

 private:
  friend class RecipeState;
  // Where the values of one lagged column lie in a series, and which of them are inputs.
  struct LagColumn {
    std::size_t column;
    std::vector<int> rows;
    int longest;
  };

  class Applying;

  void lay_out();
  void add_feature(Feature feature, const std::vector<std::string>& names, bool tied);
  bool value_of(const Column& column, const Cell& cell, double& value, Applied& row) const;
  bool time_of(const TimeColumns& time, Cells cells, double& seconds, Applied& row) const;
  bool set_open(std::size_t c, const Cell& cell, const RecipeState& state, double* to,
                Applied& row) const;
  bool number_of(const Column& column, const Cell& cell, double& value, Applied& row) const;
  bool is_gap(const Cell& cell) const;
  void set_category(const Column& column, std::string_view text, double* to) const;

  Parts parts_;
  std::vector<double> missing_numbers_;
  std::vector<std::size_t> read_;     // the columns in the order of the cells
  std::vector<std::size_t> cell_of_;  // for each column
  std::vector<std::string> read_names_;
  std::vector<std::string> input_names_;
  std::vector<int> groups_;
  std::vector<Feature> features_;
  std::vector<LagColumn> lag_columns_;
  std::optional<std::size_t> by_;
};

}  // namespace splitgp::table
