#pragma once

#include <string>
#include <string_view>

#include "table/cursor.h"

namespace splitgp::table {

/// What 03/04/2024 means. A year of four digits in front is always year, month, day.
enum class DateOrder { day_first, month_first };

/// A date as a text has it; there may be no such day.
struct Date {
  int year = 0, month = 0, day = 0;
  int first = 0, second = 0;  ///< Of a date whose order matters; 0 otherwise.
  bool compact = false;       ///< Without separators: 20240331.
};

/// Consumes a date, after the name of its day if it has one. If it returns false, the text may be
/// anywhere.
bool take_date(Cursor& text, DateOrder order, Date& date);

/// Why there is no such day, for people.
std::string impossible_date(std::string_view text, const Date& date);

}  // namespace splitgp::table
