#include "table/stamp.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "io/number.h"
#include "io/printable.h"
#include "table/words.h"

namespace splitgp::table {
namespace {

namespace chrono = std::chrono;

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kDays{"monday", "tuesday",  "wednesday", "thursday",
                                                "friday", "saturday", "sunday"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// A cursor over the text. Each take_…() either consumes what it names or leaves the text alone.
struct Cursor {
  std::string_view rest;

  bool at_end() const { return rest.empty(); }
  char peek() const { return rest.empty() ? '\0' : rest.front(); }
  bool take(char c) {
    if (peek() != c || rest.empty()) return false;
    rest.remove_prefix(1);
    return true;
  }
  void take_spaces() {
    while (take(' ')) {
    }
  }
  std::size_t digits() const {
    std::size_t n = 0;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    return n;
  }
  // A number of exactly `count` digits that `digits` more may follow.
  int take_number(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) value = 10 * value + (rest[i] - '0');
    rest.remove_prefix(count);
    return value;
  }
  // A number of `least` to `most` digits and no more; −1 if there is none.
  int take_number(std::size_t least, std::size_t most) {
    const std::size_t n = digits();
    return n < least || n > most ? -1 : take_number(n);
  }
  // The word as an index into `words`, in full or as its first three letters or more; −1 if none.
  template <std::size_t n>
  int take_word(const std::array<std::string_view, n>& words) {
    std::size_t length = 0;
    while (length < rest.size() && is_letter(rest[length])) ++length;
    for (std::size_t k = 0; k < n && length >= 3; ++k) {
      bool same = length <= words[k].size();
      for (std::size_t i = 0; i < length && same; ++i) same = lower(rest[i]) == words[k][i];
      if (!same) continue;
      rest.remove_prefix(length);
      return static_cast<int>(k);
    }
    return -1;
  }
  bool take_letters(std::string_view word) {
    if (rest.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (lower(rest[i]) != word[i]) return false;
    }
    if (rest.size() > word.size() && is_letter(rest[word.size()])) return false;
    rest.remove_prefix(word.size());
    return true;
  }
};

struct Date {
  int year = 0, month = 0, day = 0;
  int first = 0, second = 0;  // of a date whose order matters; 0 otherwise
  bool compact = false;
};

// POSIX's rule.
int full_year(int year, std::size_t digits) {
  if (digits != 2) return year;
  return year < 69 ? 2000 + year : 1900 + year;
}

bool is_separator(char c) { return c == '-' || c == '/' || c == '.'; }

// Day, month by name and year, with spaces or one of - / . between them.
bool take_named(Cursor& text, Date& date) {
  const auto gap = [&text] {
    if (is_separator(text.peek())) text.rest.remove_prefix(1);
    text.take(',');
    text.take_spaces();
  };
  const std::size_t first = text.digits();
  if (first == 4) {  // 2024-Mar-31
    date.year = text.take_number(4);
    gap();
    date.month = text.take_word(kMonths) + 1;
    gap();
    date.day = text.take_number(1, 2);
    return date.month > 0 && date.day >= 0;
  }
  if (first > 0) {
    if (first > 2) return false;
    date.day = text.take_number(first);
    gap();
    date.month = text.take_word(kMonths) + 1;
  } else {
    date.month = text.take_word(kMonths) + 1;
    gap();
    date.day = text.take_number(1, 2);
  }
  if (date.month == 0 || date.day < 0) return false;
  gap();
  const std::size_t digits = text.digits();
  if (digits != 2 && digits != 4) return false;
  date.year = full_year(text.take_number(digits), digits);
  return true;
}

bool take_numeric(Cursor& text, DateOrder order, Date& date) {
  const std::size_t digits = text.digits();
  if (digits == 8 || digits == 14) {
    date = {text.take_number(4), text.take_number(2), text.take_number(2)};
    date.compact = true;
    return true;
  }
  if (digits == 0 || digits == 3 || digits > 4) return false;
  const int first = text.take_number(digits);
  const char separator = text.peek();
  if (!is_separator(separator)) return false;
  text.take(separator);
  const int second = text.take_number(1, 2);
  if (digits == 4 && separator != '.' && second >= 0 && text.at_end()) {  // 2024-03, a month
    date = {first, second, 1};
    return true;
  }
  if (second < 0 || !text.take(separator)) return false;
  const std::size_t last_digits = text.digits();
  if (digits == 4) {
    const int day = text.take_number(1, 2);
    date = {first, second, day};
    return day >= 0;
  }
  if (last_digits != 2 && last_digits != 4) return false;
  const int year = full_year(text.take_number(last_digits), last_digits);
  date = order == DateOrder::day_first ? Date{year, second, first} : Date{year, first, second};
  date.first = first;
  date.second = second;
  return true;
}

bool take_date(Cursor& text, DateOrder order, Date& date) {
  Cursor start = text;
  if (start.take_word(kDays) >= 0) {  // Tue, 31 Mar 2024
    start.take(',');
    start.take_spaces();
    text = start;
  }
  Cursor numeric = text;
  if (take_numeric(numeric, order, date)) {
    text = numeric;
    return true;
  }
  date = {};
  return take_named(text, date);
}

struct Clock {
  int hour = 0, minute = 0;
  double second = 0.0;
  bool zoned = false;
  int offset_minutes = 0;
};

bool take_zone(Cursor& text, Clock& clock) {
  text.take_spaces();
  if (text.at_end()) return true;
  clock.zoned = true;
  if (text.take_letters("z") || text.take_letters("utc") || text.take_letters("gmt")) return true;
  const bool behind = text.peek() == '-';
  if (!text.take('+') && !text.take('-')) return false;
  const std::size_t digits = text.digits();
  if (digits != 2 && digits != 4 && digits != 1) return false;
  const int hours = text.take_number(digits == 4 ? 2 : digits);
  int minutes = 0;
  if (digits == 4) {
    minutes = text.take_number(2);
  } else if (text.take(':')) {
    minutes = text.take_number(2, 2);
  }
  if (minutes < 0 || minutes > 59 || hours > 15) return false;
  clock.offset_minutes = (behind ? -1 : 1) * (60 * hours + minutes);
  return true;
}

void take_fraction(Cursor& text, Clock& clock) {
  if (text.peek() != '.' && text.peek() != ',') return;
  Cursor after = text;
  after.rest.remove_prefix(1);
  const std::size_t digits = after.digits();
  if (digits == 0) return;
  double place = 1.0;
  double value = 0.0;
  for (std::size_t i = 0; i < digits && i < 15; ++i) {
    value = 10.0 * value + (after.rest[i] - '0');
    place *= 10.0;
  }
  after.rest.remove_prefix(digits);
  clock.second += value / place;
  text = after;
}

// `compact`: without separators, as in 20240331T1800. `alone`: there is no date in front, so
// that 18.30 would be a number.
bool take_clock(Cursor& text, bool compact, bool alone, Clock& clock) {
  if (compact && (text.digits() == 2 || text.digits() == 4 || text.digits() == 6)) {
    const std::size_t digits = text.digits();
    clock.hour = text.take_number(2);
    if (digits >= 4) clock.minute = text.take_number(2);
    if (digits == 6) clock.second = text.take_number(2);
    take_fraction(text, clock);
    return true;
  }
  clock.hour = text.take_number(1, 2);
  if (clock.hour < 0) return false;
  const char separator = text.peek();
  if (separator == ':' || separator == '.') {
    text.take(separator);
    clock.minute = text.take_number(2, 2);
    if (clock.minute < 0) return false;
    if (text.take(separator)) {
      const int second = text.take_number(2, 2);
      if (second < 0) return false;
      clock.second = second;
      take_fraction(text, clock);
    } else if (alone && separator == '.') {
      return false;
    }
  }
  Cursor half = text;
  half.take_spaces();
  const bool morning = half.take_letters("am") || half.take_letters("a.m.");
  const bool evening = !morning && (half.take_letters("pm") || half.take_letters("p.m."));
  if (morning || evening) {
    if (clock.hour < 1 || clock.hour > 12) clock.hour = 99;  // told as impossible below
    if (clock.hour == 12) clock.hour = 0;
    if (evening) clock.hour += 12;
    text = half;
  } else if (separator != ':' && separator != '.') {
    return false;  // 18 alone says nothing
  }
  return true;
}

std::string impossible_date(std::string_view text, const Date& date) {
  const std::string shown_text = shown(text) + " is not a date: ";
  if (date.month < 1 || date.month > 12) {
    return shown_text + "there is no month " + std::to_string(date.month) +
           (date.first > 0 ? " (the first rows say which of day and month comes first; --as "
                             "COL=day-first or COL=month-first decides)"
                           : "");
  }
  if (date.year < 1) return shown_text + "there is no year " + std::to_string(date.year);
  if (date.day < 1) return shown_text + "there is no day " + std::to_string(date.day);
  const chrono::year_month_day_last last(
      chrono::year(date.year),
      chrono::month_day_last(chrono::month(static_cast<unsigned>(date.month))));
  std::string month(kMonths[static_cast<std::size_t>(date.month - 1)]);
  month[0] = static_cast<char>(month[0] - 'a' + 'A');
  return shown_text + month + " " + std::to_string(date.year) + " has " +
         std::to_string(static_cast<unsigned>(last.day())) + " days";
}

}  // namespace

std::optional<double> seconds_of_date(int year, int month, int day) {
  if (year < 1 || year > 9999 || month < 1 || day < 1) return std::nullopt;
  const chrono::year_month_day date(chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return 86400.0 * static_cast<double>(chrono::sys_days(date).time_since_epoch().count());
}

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

std::string stamp_text(double seconds) {
  const double days = std::floor(seconds / 86400.0);
  if (!(std::abs(days) < 3e6)) return "an impossible date";
  const chrono::year_month_day date{
      chrono::sys_days(chrono::days(static_cast<std::int64_t>(days)))};
  const int minutes = static_cast<int>((seconds - 86400.0 * days) / 60.0);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                minutes / 60, minutes % 60);
  return text.data();
}

double year_position(double seconds) {
  const double days = std::floor(seconds / 86400.0);
  if (!(std::abs(days) < 3e6)) return 0.0;
  const chrono::sys_days day(chrono::days(static_cast<std::int64_t>(days)));
  const chrono::year year = chrono::year_month_day(day).year();
  const auto start = [](chrono::year of) {
    return chrono::sys_days(of / chrono::January / 1).time_since_epoch().count();
  };
  const double first = 86400.0 * static_cast<double>(start(year));
  const double next = 86400.0 * static_cast<double>(start(year + chrono::years(1)));
  return (seconds - first) / (next - first);
}

}  // namespace splitgp::table
