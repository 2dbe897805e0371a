#include "table/calendar.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace splitgp::table {

namespace chrono = std::chrono;

std::optional<double> seconds_of_date(int year, int month, int day) {
  if (year < 1 || year > 9999 || month < 1 || day < 1) return std::nullopt;
  const chrono::year_month_day date(chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return 86400.0 * static_cast<double>(chrono::sys_days(date).time_since_epoch().count());
}

int days_of_month(int year, int month) {
  const chrono::year_month_day_last last(
      chrono::year(year), chrono::month_day_last(chrono::month(static_cast<unsigned>(month))));
  return static_cast<int>(static_cast<unsigned>(last.day()));
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
