// What the recipe makes of single values.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/number.h"
#include "io/printable.h"
#include "table/code.h"
#include "table/recipe.h"
#include "table/refuse.h"
#include "table/row_time.h"
#include "table/state.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool Recipe::is_gap(const Cell& cell) const {
  if (cell.kind == Cell::Kind::missing) return true;
  if (cell.kind != Cell::Kind::text) {
    return std::isnan(cell.number) || (cell.kind == Cell::Kind::number &&
                                       std::find(missing_numbers_.begin(), missing_numbers_.end(),
                                                 cell.number) != missing_numbers_.end());
  }
  if (is_gap_text(cell.text)) return true;
  const std::string_view text = trimmed(cell.text);
  return std::find(parts_.missing.begin(), parts_.missing.end(), text) != parts_.missing.end();
}

bool Recipe::number_of(const Column& column, const Cell& cell, double& value, Applied& row) const {
  if (cell.kind == Cell::Kind::text) {
    if (const auto problem = parse_number(cell.text, parts_.decimal_mark, value)) {
      return refuse(row, column.name, *problem);
    }
  } else {
    value = cell.number;
    if (cell.kind != Cell::Kind::number) return refuse(row, column.name, "a time is not a number");
    if (const auto problem = check_number(value)) return refuse(row, column.name, *problem);
  }
  const bool gap =
      std::find(missing_numbers_.begin(), missing_numbers_.end(), value) != missing_numbers_.end();
  if (gap) value = kNoValue;
  return true;
}

bool Recipe::value_of(const Column& column, const Cell& cell, double& value, Applied& row) const {
  value = kNoValue;
  if (is_gap(cell)) return true;
  if (column.use != Use::boolean && column.use != Use::ordered) {
    return number_of(column, cell, value, row);
  }
  if (cell.kind == Cell::Kind::number && column.use == Use::boolean) {
    value = cell.number;
    if (value == 0.0 || value == 1.0) return true;
    return refuse(row, column.name, std::to_string(value) + " is not true or false");
  }
  if (cell.kind != Cell::Kind::text) return refuse(row, column.name, "the value is not a text");
  const int place = place_on_scale(column.levels, plain_word(cell.text));
  if (place < 0) {
    std::string scale;
    for (const std::string& level : column.levels) {
      scale += (scale.empty() ? "" : ", ") + level.substr(0, level.find('|'));
    }
    return refuse(row, column.name,
                  shown(cell.text) + " is none of " + scale + ", which the first rows had");
  }
  value = place;
  return true;
}

bool Recipe::time_of(const TimeColumns& time, Cells cells, double& seconds, Applied& row) const {
  for (const std::size_t c : time.columns) {
    const Cell& cell = cells[cell_of_[c]];
    double number = 0.0;
    const bool code = !missing_numbers_.empty() && cell.kind == Cell::Kind::text &&
                      !parse_number(cell.text, parts_.decimal_mark, number) &&
                      std::find(missing_numbers_.begin(), missing_numbers_.end(), number) !=
                          missing_numbers_.end();
    if (!code && !is_gap(cell)) continue;
    return refuse(row, parts_.columns[c].name,
                  "the value is missing" + shown_cell(cell) + ", and a time is never filled in");
  }
  const std::optional<TimeProblem> problem =
      read_time(time, parts_.columns, cells, cell_of_, parts_.decimal_mark, seconds);
  return !problem || refuse(row, parts_.columns[problem->column].name, problem->reason);
}

// What the column is was left open. Missing: zeros, as in all rows before its first value.
bool Recipe::set_open(std::size_t c, const Cell& cell, const RecipeState& state, double* to,
                      Applied& row) const {
  const Column& column = parts_.columns[c];
  std::fill(to, to + column.width, 0.0);
  if (is_gap(cell)) return true;
  double value = 0.0;
  const bool time = cell.kind == Cell::Kind::time || cell.kind == Cell::Kind::zoned_time;
  if (time)
    return refuse(row, column.name,
                  "the first rows had no value there, and a time cannot be added");
  const bool number =
      cell.kind == Cell::Kind::number || !parse_number(cell.text, parts_.decimal_mark, value);
  const RecipeState::Opened opened = state.opened_[c];
  if (opened == RecipeState::Opened::number || (opened == RecipeState::Opened::not_yet && number)) {
    if (!number_of(column, cell, value, row)) return false;
    if (std::isnan(value)) return true;
    row.values[c] = value;
    to[0] = value;
    to[1] = 1.0;  // there is a value
    return true;
  }
  const std::string text =
      cell.kind == Cell::Kind::text ? std::string(trimmed(cell.text)) : plain_number(cell.number);
  row.values[c] = 0.0;
  row.worded.push_back(c);
  set_code(text, {}, column.width, to);
  return true;
}

void Recipe::set_category(const Column& column, std::string_view text, double* to) const {
  set_code(text, column.levels, column.width, to);
}

void Recipe::set_feature(const Feature& feature, double value, std::vector<double>& inputs) const {
  double* const to = inputs.data() + feature.first;
  if (feature.use == Use::time) {
    const TimeColumns& time = parts_.times[feature.column];
    set_time(time, time.origin + 3600.0 * value, to);
  } else if (feature.use == Use::category) {
    const Column& column = parts_.columns[feature.column];
    const auto level = static_cast<std::size_t>(std::max(value, 0.0));
    set_category(column, level < column.levels.size() ? column.levels[level] : "", to);
  } else {
    to[0] = value;
    if (feature.count > 1) to[1] = feature.use == Use::open ? 1.0 : 0.0;
  }
}

}  // namespace splitgp::table
