#include "table/row_time.h"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "io/number.h"
#include "io/printable.h"
#include "table/calendar.h"

namespace splitgp::table {
namespace {

// Each of these adds to `seconds` and returns an empty string, or why it cannot.

std::string add_stamp(const TimeColumns& time, TimePart part, const Cell& cell, double& seconds) {
  if (cell.kind == Cell::Kind::time || cell.kind == Cell::Kind::zoned_time) {
    if ((cell.kind == Cell::Kind::zoned_time) != time.zoned) {
      return time.zoned ? "the time has no zone, but those of the first rows have one"
                        : "the time has a zone, but those of the first rows have none";
    }
    seconds += cell.number;
    return "";
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
  if (!problem.empty()) return problem;
  if (!clock && !stamp.has_date) return shown(text) + " has no date";
  if (part == TimePart::date && stamp.has_clock) return shown(text) + " is not only a date";
  if (part == TimePart::stamp && stamp.zoned != time.zoned) {
    return shown(text) + (time.zoned ? " names no zone, but the stamps of the first "
                                       "rows do, so its place among them is unknown"
                                     : " names a zone, but the stamps of the first "
                                       "rows do not, so its place among them is unknown");
  }
  seconds += stamp.seconds;
  return "";
}

std::string read_number(const Cell& cell, char decimal_mark, double& value) {
  std::optional<std::string> problem;
  if (cell.kind == Cell::Kind::text) {
    problem = parse_number(cell.text, decimal_mark, value);
  } else if (cell.kind == Cell::Kind::number) {
    value = cell.number;
    problem = check_number(value);
  } else {
    problem = "a time is not a number";
  }
  return problem.value_or("");
}

// The parts of a date and of a time of day that have a column each.
struct Calendar {
  int year = 0, month = 1, day = 1;  // no year: there are only hours
};

struct Part {
  TimePart part;
  double low, high;
  const char* what;
};
constexpr std::array<Part, 5> kCalendarParts{{{TimePart::year, 1, 9999, "a year"},
                                              {TimePart::month, 1, 12, "a month from 1 to 12"},
                                              {TimePart::day, 1, 31, "a day from 1 to 31"},
                                              {TimePart::hour, 0, 24, "an hour from 0 to 24"},
                                              {TimePart::minute, 0, 59, "a minute from 0 to 59"}}};

std::string add_part(TimePart part, double value, const Cell& cell, Calendar& calendar,
                     double& seconds) {
  if (part == TimePart::second) {
    if (!(value >= 0.0 && value < 61.0)) return shown(trimmed(cell.text)) + " is not a second";
    seconds += value;
    return "";
  }
  if (part == TimePart::unix_seconds) seconds += value;
  if (part == TimePart::unix_milliseconds) seconds += value / 1000.0;
  for (const Part& one : kCalendarParts) {
    if (one.part != part) continue;
    if (value >= one.low && value <= one.high && value == std::floor(value)) break;
    const bool text = cell.kind == Cell::Kind::text;
    return (text ? shown(trimmed(cell.text)) : std::to_string(value)) + " is not " + one.what;
  }
  if (part == TimePart::year) calendar.year = static_cast<int>(value);
  if (part == TimePart::month) calendar.month = static_cast<int>(value);
  if (part == TimePart::day) calendar.day = static_cast<int>(value);
  if (part == TimePart::hour) seconds += 3600.0 * value;
  if (part == TimePart::minute) seconds += 60.0 * value;
  return "";
}

}  // namespace

std::optional<TimeProblem> read_time(const TimeColumns& time, const std::vector<Column>& columns,
                                     Cells cells, const std::vector<std::size_t>& cell_of,
                                     char decimal_mark, double& seconds) {
  seconds = 0.0;
  Calendar calendar;
  for (const std::size_t c : time.columns) {
    const Cell& cell = cells[cell_of[c]];
    const TimePart part = columns[c].part;
    std::string problem;
    double value = 0.0;
    if (part == TimePart::stamp || part == TimePart::date || part == TimePart::clock) {
      problem = add_stamp(time, part, cell, seconds);
    } else {
      problem = read_number(cell, decimal_mark, value);
      if (problem.empty()) problem = add_part(part, value, cell, calendar, seconds);
    }
    if (!problem.empty()) return TimeProblem{c, std::move(problem)};
  }
  if (calendar.year == 0) return std::nullopt;
  const std::optional<double> date = seconds_of_date(calendar.year, calendar.month, calendar.day);
  if (!date) {
    return TimeProblem{time.columns.front(), "there is no day " + std::to_string(calendar.year) +
                                                 "-" + std::to_string(calendar.month) + "-" +
                                                 std::to_string(calendar.day)};
  }
  seconds += *date;
  return std::nullopt;
}

void set_time(const TimeColumns& time, double seconds, double* to) {
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

}  // namespace splitgp::table
