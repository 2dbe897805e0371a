#include "table/stamp.h"

#include "io/number.h"
#include "io/printable.h"
#include "table/calendar.h"
#include "table/clock_text.h"

namespace splitgp::table {
namespace {

// Empty, or why the clock shows no time.
std::string set_clock(std::string_view text, const Clock& clock, Stamp& stamp) {
  const bool midnight = clock.hour == 24 && clock.minute == 0 && clock.second == 0.0;
  if ((clock.hour > 23 && !midnight) || clock.minute > 59 || clock.second >= 61.0) {
    return shown(text) + " is not a time: a day has 24 hours of 60 minutes";
  }
  stamp.has_clock = true;
  stamp.seconds += 3600.0 * clock.hour + 60.0 * clock.minute + clock.second;
  return "";
}

}  // namespace

std::string parse_clock(std::string_view whole, Stamp& stamp) {
  Cursor text{trimmed(whole)};
  stamp = {};
  Clock clock;
  if (!take_clock(text, false, true, clock) || !text.at_end()) {
    return shown(trimmed(whole)) + " is not a time of day";
  }
  return set_clock(trimmed(whole), clock, stamp);
}

std::string parse_stamp(std::string_view whole, DateOrder order, Stamp& stamp) {
  const std::string_view trimmed_text = trimmed(whole);
  const auto nothing = [&] { return shown(trimmed_text) + " is not a date or a time"; };
  Cursor text{trimmed_text};
  stamp = {};
  Date date;
  if (!take_date(text, order, date)) {
    return parse_clock(whole, stamp).empty() ? std::string() : nothing();
  }
  Clock clock;
  std::string problem;
  // A date is followed by nothing, by a zone, or by something that begins a time.
  const bool begun = text.take('T') || text.take('t') || text.take(':') || text.take('_') ||
                     text.take(',') || text.peek() == ' ' || (date.compact && text.digits() > 0);
  text.take_spaces();
  if (begun && !take_clock(text, date.compact, false, clock)) return nothing();
  if (!take_zone(text, clock) || !text.at_end()) return nothing();
  if (begun) problem = set_clock(trimmed_text, clock, stamp);
  const std::optional<double> day = seconds_of_date(date.year, date.month, date.day);
  if (!day) {
    // 18.00.00 has the shape of a date, and is none.
    return !begun && parse_clock(whole, stamp).empty() ? std::string()
                                                       : impossible_date(trimmed_text, date);
  }
  stamp.has_date = true;
  stamp.zoned = clock.zoned;
  stamp.seconds += *day - 60.0 * clock.offset_minutes;
  return problem;
}

std::optional<std::pair<int, int>> ambiguous_numbers(std::string_view whole) {
  Cursor text{trimmed(whole)};
  Date date;
  if (!take_date(text, DateOrder::day_first, date) || date.first == 0) return std::nullopt;
  return std::pair(date.first, date.second);
}

}  // namespace splitgp::table
