// Any bytes as a table, as flags and as a stored recipe. Besides not crashing: whatever recipe is
// found, a row becomes finite inputs or is rejected with a reason, and a recipe and its state that
// were stored go on as if they had not been.
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "fuzz/fuzz_target.h"
#include "splitgp/error.h"
#include "table/finder.h"
#include "table/state.h"

namespace splitgp::testing {
namespace {

using namespace table;

void must(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  for (const char c : text) {
    if (c == '\n') {
      rows.emplace_back(1);
    } else if (c == ';') {
      rows.back().emplace_back();
    } else {
      rows.back().back() += c;
    }
  }
  return rows;
}

Wishes wishes_for(const std::string& text, const std::vector<std::string>& columns) {
  Wishes wishes;
  wishes.targets = {columns.back()};
  const std::size_t choice = text.size();
  if (choice % 2 == 0) wishes.fill = static_cast<Fill>(choice / 2 % 5);
  if (choice % 3 == 0) wishes.lags = {{columns.back(), {1, 2}}};
  if (choice % 5 == 0) wishes.by = columns.front();
  if (choice % 7 == 0) wishes.horizon = 1;
  if (choice % 11 == 0) wishes.as[columns.front()] = static_cast<As>(choice / 11 % 6);
  if (choice % 13 == 0) wishes.missing = {"-200", text.substr(0, 3)};
  return wishes;
}

void apply_all(const Recipe& recipe, const std::vector<std::vector<std::string>>& rows,
               const std::vector<std::size_t>& places) {
  const Recipe again = Recipe::from_text(recipe.to_text());
  must(again.to_text() == recipe.to_text());
  must(again.input_names() == recipe.input_names());
  RecipeState state(recipe);
  RecipeState stored(again);
  std::map<std::string, std::string> notes;
  Applied row, other;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].size() != rows[0].size()) continue;
    std::vector<Cell> cells;
    for (const std::size_t place : places) cells.push_back(Cell::of(rows[i][place]));
    recipe.apply(cells, state, row);
    again.apply(cells, stored, other);
    must(row.outcome == other.outcome && row.reason == other.reason);
    if (row.outcome == Applied::Outcome::rejected) {
      must(!row.reason.empty());
      continue;
    }
    if (row.outcome == Applied::Outcome::ready) {
      must(row.inputs == other.inputs);
      for (const double input : row.inputs) must(std::isfinite(input));
    }
    state.take(recipe, row);
    stored.take(again, other);
    stored.save([&](const std::string& key, std::string text) { notes[key] = std::move(text); });
    stored = RecipeState::load(again, [&](const std::string& key) {
      const auto note = notes.find(key);
      return note == notes.end() ? std::nullopt : std::optional(note->second);
    });
  }
}

void check_table(const std::string& text) {
  const std::vector<std::vector<std::string>> rows = rows_of(text);
  std::vector<std::string> columns = rows[0];
  for (std::size_t k = 0; k < columns.size(); ++k) {  // a reader refuses equal names
    for (std::size_t j = 0; j < k; ++j) {
      if (columns[j] == columns[k]) columns[k] += std::to_string(k);
    }
  }
  RecipeFinder finder(columns, wishes_for(text, columns));
  for (std::size_t i = 1; i < rows.size() && i < 1 + rows.size() / 2; ++i) {
    std::vector<Cell> cells;
    for (const std::string& cell : rows[i]) cells.push_back(Cell::of(cell));
    if (cells.size() == columns.size()) finder.add(cells);
  }
  try {
    const Found found = finder.find();
    must(found.recipe.explanation().size() >= columns.size());
    must(!found.recipe.flags_toml().empty());
    std::vector<std::size_t> places;
    for (const std::string& name : found.recipe.read_columns()) {
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (columns[k] == name) {
          places.push_back(k);
          break;
        }
      }
    }
    apply_all(found.recipe, rows, places);
  } catch (const InvalidArgument&) {
  }
}

template <typename Parse>
void check_flag(Parse parse) {
  try {
    parse();
  } catch (const InvalidArgument&) {
  }
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  return {
      "when;site;x;y\n2024-01-01 00:00;a;1,5;1\n2024-01-01T01:00;b;NA;2\n31/12/2023;c;-200;3\n",
      "Date;Time;ok;y\n10/03/2004;18.00.00;yes;1\n11/03/2004;19.00.00;no;\n12/03/2004;1.00.00;;2\n",
      "year;month;day;hour;y\n2013;3;1;0;4\n2013;3;1;1;8\n2013;2;30;2;x\n",
      "timestamp;size;y\n1700000000;low;1\n1700000060;high;2\n1700000120;medium;3\n",
      "PJME:1,24,168",
      "site=category",
      "day,week,year",
      "2024-03-31T18:05:00.5+02:00",
      "Sun, 31 Mar 2024 6:05:00 PM UTC",
      R"({"version":1,"columns":[{"name":"c","use":"category","why":"","width":4,"levels":["a"]},)"
      R"({"name":"t","use":"time","why":"","part":"stamp"},{"name":"y","use":"none","why":""}],)"
      R"("times":[{"columns":[1],"order":"day-first","dated":true,"zoned":false,"origin":5,"cycles":["day"]}],)"
      R"("targets":[2],"lags":[{"column":"y","rows":[1]}],"by":"c","horizon":1,"fill":"mean",)"
      R"("missing":[],"decimal_mark":"."})"};
}

}  // namespace splitgp::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace splitgp;
  using namespace splitgp::testing;
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_table(text);
  table::Stamp stamp;
  for (const table::DateOrder order :
       {table::DateOrder::day_first, table::DateOrder::month_first}) {
    if (table::parse_stamp(text, order, stamp).empty()) must(std::isfinite(stamp.seconds));
  }
  check_flag([&] { table::parse_lags(text); });
  check_flag([&] { table::parse_as(text); });
  check_flag([&] { table::parse_cycles(text); });
  try {
    const table::Recipe recipe = table::Recipe::from_text(text);
    must(table::Recipe::from_text(recipe.to_text()).to_text() == recipe.to_text());
    const table::RecipeState state(recipe);
    table::Applied row;
    const std::vector<table::Cell> cells(recipe.read_columns().size(), table::Cell::of("1"));
    recipe.apply(cells, state, row);
    table::RecipeState::load(recipe, [&](const std::string&) { return text; });
  } catch (const FileError&) {
  }
  return 0;
}
