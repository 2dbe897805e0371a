// One row of the table into inputs and targets.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "io/number.h"
#include "io/printable.h"
#include "table/code.h"
#include "table/recipe.h"
#include "table/state.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// As a level of a category: 3, not 3.000000.
std::string plain_number(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

bool refuse(Applied& row, const std::string& column, const std::string& reason) {
  row.outcome = Applied::Outcome::rejected;
  row.column = column;
  row.reason = "column " + shown(column) + ": " + reason;
  return false;
}

std::string shown_cell(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::missing:
      return "";
    case Cell::Kind::text:
      return trimmed(cell.text).empty() ? "" : " (" + shown(trimmed(cell.text)) + ")";
    default:
      return " (" + std::to_string(cell.number) + ")";
  }
}

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
  if (gap) value = kMissing;
  return true;
}

bool Recipe::value_of(const Column& column, const Cell& cell, double& value, Applied& row) const {
  value = kMissing;
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
  seconds = 0.0;
  int year = 0, month = 1, day = 1;
  bool calendar = false;
  for (const std::size_t c : time.columns) {
    const Column& column = parts_.columns[c];
    const Cell& cell = cells[cell_of_[c]];
    if (is_gap(cell)) {
      return refuse(row, column.name,
                    "the value is missing" + shown_cell(cell) + ", and a time is never filled in");
    }
    const TimePart part = column.part;
    if (part == TimePart::stamp || part == TimePart::date || part == TimePart::clock) {
      if (cell.kind == Cell::Kind::time || cell.kind == Cell::Kind::zoned_time) {
        if ((cell.kind == Cell::Kind::zoned_time) != time.zoned) {
          return refuse(row, column.name,
                        time.zoned ? "the time has no zone, but those of the first rows have one"
                                   : "the time has a zone, but those of the first rows have none");
        }
        seconds += cell.number;
        continue;
      }
      std::string digits;  // a number such as 20240331
      std::string_view text = cell.text;
      if (cell.kind == Cell::Kind::number) {
        if (std::abs(cell.number) < 1e15 && cell.number == std::floor(cell.number)) {
          digits = std::to_string(static_cast<long long>(cell.number));
        }
        text = digits;
      }
      Stamp stamp;
      const bool clock = part == TimePart::clock || !time.dated;
      const std::string problem =
          clock ? parse_clock(text, stamp) : parse_stamp(text, time.order, stamp);
      if (!problem.empty()) return refuse(row, column.name, problem);
      if (!clock && !stamp.has_date) return refuse(row, column.name, shown(text) + " has no date");
      if (part == TimePart::date && stamp.has_clock) {
        return refuse(row, column.name, shown(text) + " is not only a date");
      }
      if (part == TimePart::stamp && stamp.zoned != time.zoned) {
        return refuse(
            row, column.name,
            shown(text) + (time.zoned ? " names no zone, but the stamps of the first "
                                        "rows do, so its place among them is unknown"
                                      : " names a zone, but the stamps of the first "
                                        "rows do not, so its place among them is unknown"));
      }
      seconds += stamp.seconds;
      continue;
    }
    double value = 0.0;
    if (!number_of(column, cell, value, row)) return false;
    if (part == TimePart::unix_seconds || part == TimePart::unix_milliseconds) {
      seconds += part == TimePart::unix_seconds ? value : value / 1000.0;
      continue;
    }
    const auto require = [&](double low, double high, const char* what) {
      if (value >= low && value <= high && value == std::floor(value)) return true;
      return refuse(
          row, column.name,
          (cell.kind == Cell::Kind::text ? shown(trimmed(cell.text)) : std::to_string(value)) +
              " is not " + what);
    };
    if (part == TimePart::year) {
      calendar = true;
      if (!require(1, 9999, "a year")) return false;
      year = static_cast<int>(value);
    } else if (part == TimePart::month) {
      if (!require(1, 12, "a month from 1 to 12")) return false;
      month = static_cast<int>(value);
    } else if (part == TimePart::day) {
      if (!require(1, 31, "a day from 1 to 31")) return false;
      day = static_cast<int>(value);
    } else if (part == TimePart::hour) {
      if (!require(0, 24, "an hour from 0 to 24")) return false;
      seconds += 3600.0 * value;
    } else if (part == TimePart::minute) {
      if (!require(0, 59, "a minute from 0 to 59")) return false;
      seconds += 60.0 * value;
    } else {
      if (!(value >= 0.0 && value < 61.0)) {
        return refuse(row, column.name, shown(trimmed(cell.text)) + " is not a second");
      }
      seconds += value;
    }
  }
  if (calendar) {
    const std::optional<double> date = seconds_of_date(year, month, day);
    if (!date) {
      return refuse(row, parts_.columns[time.columns.front()].name,
                    "there is no day " + std::to_string(year) + "-" + std::to_string(month) + "-" +
                        std::to_string(day));
    }
    seconds += *date;
  }
  return true;
}

void Recipe::set_time(const TimeColumns& time, double seconds, double* to) const {
  if (time.dated) *to++ = (seconds - time.origin) / 3600.0;
  for (const Cycle cycle : time.cycles) {
    double position = year_position(seconds);
    if (cycle == Cycle::day) position = seconds / 86400.0;
    if (cycle == Cycle::week) position = seconds / (7.0 * 86400.0);
    const double angle = 2.0 * std::numbers::pi * (position - std::floor(position));
    *to++ = std::sin(angle);
    *to++ = std::cos(angle);
  }
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

void Recipe::apply(Cells cells, const RecipeState& state, Applied& row) const {
  const std::vector<Column>& columns = parts_.columns;
  row.reason.clear();
  row.column.clear();
  row.outcome = Applied::Outcome::ready;
  if (std::all_of(cells.begin(), cells.end(), [](const Cell& cell) {
        return cell.kind == Cell::Kind::missing ||
               (cell.kind == Cell::Kind::text && trimmed(cell.text).empty());
      })) {
    // A row in which only the target could be, and is not, is a row to predict from lags.
    if (cells.size() > 1) {
      row.outcome = Applied::Outcome::rejected;
      row.reason = "the row is empty";
      return;
    }
  }
  row.inputs.resize(input_names_.size());
  row.time = kMissing;
  row.values.assign(columns.size(), kMissing);
  row.series.clear();
  row.worded.clear();
  row.guessed = false;
  if (by_) {
    const Cell& cell = cells[cell_of_[*by_]];
    if (cell.kind == Cell::Kind::text) {
      row.series = trimmed(cell.text);
    } else if (cell.kind != Cell::Kind::missing) {
      row.series = std::to_string(cell.number);
    }
  }
  const RecipeState::Series* const series = state.find(row.series);

  const auto filled = [&](std::size_t c, double& value) {
    if (!std::isnan(value)) return true;
    if (parts_.fill == Fill::reject) {
      refuse(row, columns[c].name, "the value is missing" + shown_cell(cells[cell_of_[c]]));
      return false;
    }
    value = state.fill_of(*this, c, series);
    row.guessed = row.guessed || state.is_news(c);
    return true;
  };
  const auto value_at = [&](std::size_t c) {
    return value_of(columns[c], cells[cell_of_[c]], row.values[c], row);
  };

  // Targets and lagged columns first: features may need them, whatever their order.
  row.targets.resize(parts_.targets.size());
  row.target_known = true;
  for (std::size_t k = 0; k < parts_.targets.size(); ++k) {
    const std::size_t c = parts_.targets[k];
    if (!value_at(c)) return;
    row.targets[k] = row.values[c];
    if (std::isnan(row.targets[k])) row.target_known = false;
  }
  if (!row.target_known && parts_.fill == Fill::reject) {
    for (const std::size_t c : parts_.targets) {
      double value = row.values[c];
      if (!filled(c, value)) return;
    }
  }
  bool early = false;
  for (const Feature& feature : features_) {
    double* const to = row.inputs.data() + feature.first;
    if (feature.is_lag) {
      const auto ring =
          std::find_if(lag_columns_.begin(), lag_columns_.end(),
                       [&](const LagColumn& lag) { return lag.column == feature.column; });
      std::optional<double> value;
      if (feature.lag == 0) {
        value = row.values[feature.column];
      } else if (series != nullptr) {
        value = RecipeState::lagged(*series, static_cast<std::size_t>(ring - lag_columns_.begin()),
                                    feature.lag);
      }
      if (!value) {
        early = true;
        continue;
      }
      if (std::isnan(*value)) *value = state.fill_of(*this, feature.column, series);
      *to = *value;
    } else if (feature.use == Use::time) {
      const TimeColumns& time = parts_.times[feature.column];
      double seconds = 0.0;
      if (!time_of(time, cells, seconds, row)) return;
      if (feature.column == 0) row.time = seconds;
      set_time(time, seconds, to);
    } else if (feature.use == Use::category) {
      const Cell& cell = cells[cell_of_[feature.column]];
      const bool gap = is_gap(cell);
      if (gap && parts_.fill == Fill::reject) {
        double value = kMissing;
        if (!filled(feature.column, value)) return;
      }
      std::string number;
      if (cell.kind != Cell::Kind::text && !gap) number = plain_number(cell.number);
      const std::string_view text = gap                             ? ""
                                    : cell.kind == Cell::Kind::text ? trimmed(cell.text)
                                                                    : number;
      if (!gap) row.values[feature.column] = 0.0;  // there is a value
      set_category(columns[feature.column], text, to);
    } else if (feature.use == Use::open) {
      const Cell& cell = cells[cell_of_[feature.column]];
      if (parts_.fill == Fill::reject && is_gap(cell)) {
        double value = kMissing;
        if (!filled(feature.column, value)) return;
      }
      if (!set_open(feature.column, cell, state, to, row)) return;
    } else {
      const std::size_t c = feature.column;
      if (!value_at(c)) return;
      const bool gap = std::isnan(row.values[c]);
      double value = row.values[c];
      if (gap && !filled(c, value)) return;
      to[0] = value;
      if (feature.count > 1) to[1] = gap ? 1.0 : 0.0;
    }
  }
  // Lagged columns that are not inputs themselves.
  for (const LagColumn& lag : lag_columns_) {
    if (std::isnan(row.values[lag.column]) && !value_at(lag.column)) return;
  }
  if (early) row.outcome = Applied::Outcome::early;
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
