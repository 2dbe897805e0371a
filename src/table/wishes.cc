#include "table/wishes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "io/number.h"
#include "io/printable.h"
#include "splitgp/error.h"

namespace splitgp::table {
namespace {

constexpr std::array<std::pair<std::string_view, As>, 6> kAs{{{"number", As::number},
                                                              {"category", As::category},
                                                              {"time", As::time},
                                                              {"day-first", As::day_first},
                                                              {"month-first", As::month_first},
                                                              {"ignore", As::ignore}}};
constexpr std::array<std::pair<std::string_view, Cycle>, 3> kCycles{
    {{"day", Cycle::day}, {"week", Cycle::week}, {"year", Cycle::year}}};
constexpr std::array<std::pair<std::string_view, Fill>, 6> kFills{
    {{"auto", Fill::automatic},
     {"mean", Fill::mean},
     {"last", Fill::last},
     {"mean-marked", Fill::mean_marked},
     {"last-marked", Fill::last_marked},
     {"reject", Fill::reject}}};

template <typename Value, std::size_t n>
Value parse(const std::array<std::pair<std::string_view, Value>, n>& table, std::string_view text,
            const std::string& flag) {
  for (const auto& [name, value] : table) {
    if (name == text) return value;
  }
  std::string names;
  for (const auto& entry : table) names += (names.empty() ? "" : ", ") + std::string(entry.first);
  throw InvalidArgument(flag + ": " + shown(text) + " is none of " + names);
}

template <typename Value, std::size_t n>
std::string_view name_of(const std::array<std::pair<std::string_view, Value>, n>& table,
                         Value value) {
  return std::find_if(table.begin(), table.end(),
                      [value](const auto& entry) { return entry.second == value; })
      ->first;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string_view to_string(As as) { return name_of(kAs, as); }
std::string_view to_string(Cycle cycle) { return name_of(kCycles, cycle); }
std::string_view to_string(Fill fill) { return name_of(kFills, fill); }

std::pair<std::string, As> parse_as(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InvalidArgument("--as: " + shown(text) + " is not COL=KIND");
  }
  return {std::string(text.substr(0, equals)),
          parse(kAs, trimmed(text.substr(equals + 1)), "--as " + shown(text))};
}

Lags parse_lags(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) {
    throw InvalidArgument("--lag: " + shown(text) + " is not COL:ROWS[,ROWS]");
  }
  Lags lags{std::string(text.substr(0, colon)), {}};
  constexpr int kMost = 100'000;
  for (const std::string_view part : split(text.substr(colon + 1), ',')) {
    int rows = -1;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), rows);
    if (error != std::errc() || stop != part.data() + part.size() || rows < 0 || rows > kMost) {
      throw InvalidArgument("--lag " + shown(text) + ": " + shown(part) +
                            " is not a number of rows from 0 to 100000");
    }
    if (std::find(lags.rows.begin(), lags.rows.end(), rows) != lags.rows.end()) {
      throw InvalidArgument("--lag " + shown(text) + ": " + std::to_string(rows) +
                            " is there twice");
    }
    lags.rows.push_back(rows);
  }
  std::sort(lags.rows.begin(), lags.rows.end());
  return lags;
}

std::vector<Cycle> parse_cycles(std::string_view text) {
  std::vector<Cycle> cycles;
  if (trimmed(text) == "none") return cycles;
  for (const std::string_view part : split(text, ',')) {
    const Cycle cycle = parse(kCycles, part, "--cycles");
    if (std::find(cycles.begin(), cycles.end(), cycle) == cycles.end()) cycles.push_back(cycle);
  }
  std::sort(cycles.begin(), cycles.end());
  return cycles;
}

Fill parse_fill(std::string_view text) { return parse(kFills, trimmed(text), "--fill"); }

}  // namespace splitgp::table
