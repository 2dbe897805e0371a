#include "cli/age.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "cli/exit_code.h"
#include "io/number.h"
#include "io/printable.h"

namespace splitgp {
namespace {

struct AgeUnit {
  std::string_view name;
  std::string_view word;
  double seconds;
};

constexpr std::array<AgeUnit, 5> kUnits{{{"w", "week", 604800.0},
                                         {"d", "day", 86400.0},
                                         {"h", "hour", 3600.0},
                                         {"min", "minute", 60.0},
                                         {"s", "second", 1.0}}};

}  // namespace

double parse_age(const std::string& flag, const std::string& text) {
  const std::string_view whole = trimmed(text);
  double number = 0.0;
  const auto [stop, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  const std::string_view unit =
      trimmed(whole.substr(static_cast<std::size_t>(stop - whole.data())));
  if (error == std::errc() && std::isfinite(number) && number >= 0.0) {
    if (unit.empty()) return number;
    for (const AgeUnit& one : kUnits) {
      if (unit == one.name) return number * one.seconds;
    }
  }
  throw CommandError(kUsage, fmt::format("{}: {} is not an age: a number of seconds, or one with a "
                                         "unit, s, min, h, d or w, such as 30d",
                                         flag, shown(text)));
}

std::string age_text(double seconds) {
  for (const AgeUnit& one : kUnits) {
    // Not weeks: 30 days are easier to read than 4.28571 weeks.
    if (one.name == "w" || (seconds < one.seconds && one.seconds > 1.0)) continue;
    const double count = seconds / one.seconds;
    return fmt::format("{:.6g} {}{}", count, one.word, count == 1.0 ? "" : "s");
  }
  return fmt::format("{} seconds", seconds);
}

}  // namespace splitgp
