#include "cli/scores/score_table.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace splitgp {
namespace {

// fmt pads by code points, so the dash for "nothing" keeps the columns aligned.
constexpr const char* kLine = "{:>12}{:>11}{:>11}{:>10}{:>9}{:>11}{:>11}\n";

}  // namespace

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t place = digits.size(); place > 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return with_separators(number) + ' ' + noun + (number == 1 ? "" : "s");
}

std::string short_number(double number) {
  if (std::isnan(number)) return "–";
  const double size = std::abs(number);
  if (size >= 1e3 && size < 1e9) return fmt::format("{:.0f}", number);
  return fmt::format("{:#.4g}", number);
}

void ScoreTable::print(const ScoreLine& line) {
  if (!std::exchange(begun_, true)) {
    fmt::print(to_, kLine, "rows", normalised_ ? "RMSE/sd" : "RMSE", "recent", "NLPD", "95 %",
               "local GPs", "rows/s");
  }
  const bool timed = line.rows_per_second > 0.0;
  fmt::print(to_, kLine, with_separators(line.rows), short_number(line.rmse),
             short_number(line.recent_rmse), short_number(line.nlpd),
             std::isnan(line.coverage) ? "–" : fmt::format("{:.1f} %", 100.0 * line.coverage),
             with_separators(static_cast<std::uint64_t>(line.local_gps)),
             timed ? with_separators(static_cast<std::uint64_t>(line.rows_per_second + 0.5)) : "–");
  std::fflush(to_);
}

void ScoreTable::print_rule() {
  if (begun_) fmt::print(to_, "{:─>75}\n", "");
}

}  // namespace splitgp
