#include "table/date_text.h"

#include <array>

#include "io/printable.h"
#include "table/calendar.h"

namespace splitgp::table {
namespace {

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kDays{"monday", "tuesday",  "wednesday", "thursday",
                                                "friday", "saturday", "sunday"};

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

}  // namespace

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
  std::string month(kMonths[static_cast<std::size_t>(date.month - 1)]);
  month[0] = static_cast<char>(month[0] - 'a' + 'A');
  return shown_text + month + " " + std::to_string(date.year) + " has " +
         std::to_string(days_of_month(date.year, date.month)) + " days";
}

}  // namespace splitgp::table
