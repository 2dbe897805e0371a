#include "cli/table_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace splitgp {

void TableFlags::add_to(CLI::App& command) {
  const char* const group =
      "Columns (found from the first rows; chosen once, when the model is made)";
  command
      .add_option("--as", as,
                  "Take a column as number, category, time, day-first or month-first (a time), or "
                  "ignore it")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COL=KIND")
      ->group(group);
  command.add_option("--time", times, "Columns that hold a time; Unix seconds or milliseconds too")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("COL[,COL]")
      ->group(group);
  command
      .add_option(
          "--cycles", cycles,
          "Cycles of a time that count: day, week, year or none (those the first rows show)")
      ->type_name("CYCLE[,CYCLE]")
      ->group(group);
  command
      .add_option("--missing", missing,
                  "More texts that mean a missing value, beside an empty field, NA, NaN, null and "
                  "?; reject: rows with missing values are rejected, not filled")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("VALUE[,VALUE]")
      ->group(group);
  command
      .add_option("--fill", fill,
                  "What fills a missing number: mean (so far) or last (value), with -marked an "
                  "input that says so; auto, a guess between the two; or reject (auto)")
      ->check(CLI::IsMember({"auto", "mean", "last", "mean-marked", "last-marked", "reject"}))
      ->group(group);
  command
      .add_option(
          "--lag", lags,
          "Earlier values of a column, the target included, as inputs: COL:1,24 for 1 and 24 "
          "rows before")
      ->allow_extra_args(false)
      ->type_name("COL:ROWS[,ROWS]")
      ->group(group);
  command
      .add_option("--by", by, "Rows with the same value in this column are a series of their own")
      ->type_name("COL")
      ->group(group);
  command.add_option("--horizon", horizon, "Predict the target of H rows later (0)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("H")
      ->group(group);
}

table::Wishes TableFlags::wishes(const std::vector<std::string>& columns) const {
  const ColumnPlaces places(columns);
  const auto resolved = [&](const std::string& flag, const std::string& name) {
    return find_column(flag, name, columns, places);
  };
  table::Wishes wishes;
  for (const std::string& text : as) {
    const auto [name, kind] = table::parse_as(text);
    wishes.as[resolved("--as", name)] = kind;
  }
  for (const std::string& name : times) {
    wishes.as.emplace(resolved("--time", name), table::As::time);
  }
  if (!cycles.empty()) wishes.cycles = table::parse_cycles(cycles);
  if (!fill.empty()) wishes.fill = table::parse_fill(fill);
  for (const std::string& text : missing) {
    if (text == "reject") {
      wishes.fill = table::Fill::reject;
    } else {
      wishes.missing.push_back(text);
    }
  }
  for (const std::string& text : lags) {
    table::Lags lag = table::parse_lags(text);
    lag.column = resolved("--lag", lag.column);
    wishes.lags.push_back(std::move(lag));
  }
  if (!by.empty()) wishes.by = resolved("--by", by);
  wishes.horizon = horizon;
  return wishes;
}

}  // namespace splitgp
