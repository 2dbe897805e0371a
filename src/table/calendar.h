#pragma once

#include <optional>
#include <string>

namespace splitgp::table {

/// Seconds since 1970-01-01 for a calendar date; empty if there is no such day.
std::optional<double> seconds_of_date(int year, int month, int day);

/// How many days a month has.  REQUIRES: 1 ≤ month ≤ 12.
int days_of_month(int year, int month);

/// "2024-03-31 18:00".
std::string stamp_text(double seconds);

/// The position in the year, from 0 at its first second to 1 at its end.
double year_position(double seconds);

}  // namespace splitgp::table
