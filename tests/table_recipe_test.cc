// What columns are taken for, and what becomes of their rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "splitgp/error.h"
#include "table/calendar.h"
#include "table/code.h"
#include "table/finder.h"
#include "table/state.h"

namespace splitgp::table_recipe_test {
namespace {

using namespace table;
using table::Cell;  // the report has one too
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using TextRow = std::vector<std::string>;

std::vector<Cell> cells_of(const TextRow& row) {
  std::vector<Cell> cells;
  for (const std::string& text : row) cells.push_back(Cell::of(text));
  return cells;
}

Found found(const std::vector<std::string>& columns, const std::vector<TextRow>& rows,
            Wishes wishes, bool complete = false) {
  RecipeFinder finder(columns, std::move(wishes));
  for (const TextRow& row : rows) finder.add(cells_of(row));
  if (complete) finder.set_complete();
  return finder.find();
}

Wishes wishes(std::vector<std::string> targets = {"y"}) {
  Wishes result;
  result.targets = std::move(targets);
  return result;
}

// One column c beside a target.
Found column(const std::vector<std::string>& values, Wishes asked = wishes(),
             bool complete = false) {
  std::vector<TextRow> rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows.push_back({values[i], std::to_string(i), std::to_string(0.5 * static_cast<double>(i))});
  }
  return found({"c", "x", "y"}, rows, std::move(asked), complete);
}

std::vector<std::string> repeated(const std::vector<std::string>& values, std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(values[i % values.size()]);
  return result;
}

Use use_of(const Found& found) { return found.recipe.columns()[0].use; }

Applied applied(const Recipe& recipe, const RecipeState& state, const TextRow& row) {
  Applied result;
  const std::vector<Cell> cells = cells_of(row);
  recipe.apply(cells, state, result);
  return result;
}

TEST(TableFinder, PlainNumbersStayWhatTheyAre) {
  const Found numbers = column({"1", "2.5", "-3e2"});
  EXPECT_TRUE(numbers.recipe.is_plain());
  EXPECT_THAT(numbers.recipe.input_names(), ElementsAre("c", "x"));
  EXPECT_TRUE(numbers.recipe.length_scale_groups().empty());
  const Applied row = applied(numbers.recipe, RecipeState(numbers.recipe), {"7", "8", "9"});
  EXPECT_THAT(row.inputs, ElementsAre(7.0, 8.0));
  EXPECT_THAT(row.targets, ElementsAre(9.0));
  EXPECT_TRUE(row.target_known);
}

TEST(TableFinder, KindsOfText) {
  EXPECT_EQ(use_of(column({"yes", "No", "YES"})), Use::boolean);
  EXPECT_EQ(use_of(column({"true", "false"})), Use::boolean);
  EXPECT_EQ(use_of(column({"low", "High", "medium", "low"})), Use::ordered);
  EXPECT_EQ(use_of(column({"north", "south", "north"})), Use::category);
  EXPECT_EQ(use_of(column({"2024-01-01", "2024-01-02"})), Use::time);
  EXPECT_EQ(use_of(column(repeated({"same"}, 40))), Use::none);
  std::vector<std::string> ids;
  for (int i = 0; i < 40; ++i) ids.push_back("id" + std::to_string(i));
  EXPECT_EQ(use_of(column(ids)), Use::none);
  EXPECT_THAT(column(ids).recipe.columns()[0].why, HasSubstr("--as c=category takes it"));
  ids.push_back("id7");  // it comes twice, so that it may tell something
  EXPECT_EQ(use_of(column(ids)), Use::category);
  EXPECT_EQ(use_of(column(repeated({""}, 40))), Use::none);
  // One row says little: nothing is left out.
  EXPECT_EQ(use_of(column({"id1"})), Use::category);
}

TEST(TableFinder, AsDecidesOtherwise) {
  Wishes asked = wishes();
  asked.as["c"] = As::category;
  EXPECT_EQ(use_of(column({"1", "2", "3"}, asked)), Use::category);
  asked.as["c"] = As::number;
  EXPECT_EQ(use_of(column({"a", "b", "c"}, asked)), Use::number);
  asked.as["c"] = As::ignore;
  EXPECT_EQ(use_of(column({"a", "b", "c"}, asked)), Use::none);
  asked.as["c"] = As::time;
  EXPECT_EQ(use_of(column({"1700000000", "1700003600"}, asked)), Use::time);
  EXPECT_EQ(use_of(column({"20240331", "20240401"}, asked)), Use::time);
  EXPECT_THROW(column({"5", "6"}, asked), InvalidArgument);
  EXPECT_THROW(column({"a", "b"}, asked), InvalidArgument);
  Wishes forced = wishes();
  forced.inputs = {"c", "x"};
  EXPECT_EQ(use_of(column(repeated({"same"}, 40), forced)), Use::category);
}

TEST(TableFinder, WhatNeverChangesIsLeftOutIfAllRowsWereSeen) {
  EXPECT_EQ(use_of(column(repeated({"2011"}, 40))), Use::number) << "it may change later";
  EXPECT_EQ(use_of(column(repeated({"2011"}, 40), wishes(), true)), Use::none);
}

TEST(TableFinder, TimesInSeveralColumns) {
  const Found two =
      found({"Date", "Time", "y"},
            {{"10/03/2004", "18.00.00", "1"}, {"13/03/2004", "12.10.05", "2"}}, wishes());
  ASSERT_EQ(two.recipe.times().size(), 1u);
  EXPECT_EQ(two.recipe.times()[0].origin, *seconds_of_date(2004, 3, 10) + 18 * 3600.0);
  const Applied row = applied(two.recipe, RecipeState(two.recipe), {"11/03/2004", "19.00.00", ""});
  ASSERT_EQ(row.outcome, Applied::Outcome::ready) << row.reason;
  EXPECT_EQ(row.inputs[0], 25.0);
  EXPECT_FALSE(row.target_known);

  const Found four = found({"year", "month", "day", "hour", "y"},
                           {{"2013", "3", "1", "0", "1"}, {"2013", "3", "2", "5", "2"}}, wishes());
  EXPECT_THAT(four.recipe.times()[0].columns, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(applied(four.recipe, RecipeState(four.recipe), {"2013", "3", "2", "5", "1"}).inputs[0],
            29.0);
  EXPECT_THAT(applied(four.recipe, RecipeState(four.recipe), {"2013", "2", "30", "5", "1"}).reason,
              HasSubstr("there is no day 2013-2-30"));
  const Found hours =
      found({"dteday", "hr", "y"}, {{"2011-01-01", "0", "1"}, {"2011-01-02", "5", "2"}}, wishes());
  EXPECT_EQ(applied(hours.recipe, RecipeState(hours.recipe), {"2011-01-02", "5", "1"}).inputs[0],
            29.0);
  // A year alone is a number.
  EXPECT_TRUE(found({"year", "y"}, {{"2011", "1"}, {"2012", "2"}}, wishes()).recipe.is_plain());
}

TEST(TableFinder, UnixTimeByItsName) {
  const auto unix_time = [](const std::string& name, const std::string& value) {
    return found({name, "y"}, {{value, "1"}, {value, "2"}}, wishes()).recipe.columns()[0].use;
  };
  EXPECT_EQ(unix_time("timestamp", "1700000000"), Use::time);
  EXPECT_EQ(unix_time("event_time", "1700000000123"), Use::time);
  EXPECT_EQ(unix_time("id", "1700000000"), Use::number);
  EXPECT_EQ(unix_time("time", "12.5"), Use::number);
}

TEST(TableFinder, DayOrMonthFirstAsTheValuesTell) {
  const auto order = [](const std::vector<std::string>& stamps) {
    return column(stamps).recipe.times().at(0).order;
  };
  EXPECT_EQ(order({"03/04/2024", "13/04/2024"}), DateOrder::day_first);
  EXPECT_EQ(order({"03/04/2024", "04/13/2024"}), DateOrder::month_first);
  // No value tells, but as months time would jump.
  EXPECT_EQ(order({"03/01/2024", "03/02/2024", "03/03/2024"}), DateOrder::month_first);
  EXPECT_EQ(order({"01/03/2024", "02/03/2024", "03/03/2024"}), DateOrder::day_first);
  EXPECT_THAT(column({"01/03/2024", "02/03/2024"}).remarks,
              ElementsAre(HasSubstr("--as c=month-first says otherwise")));
  Wishes asked = wishes();
  asked.as["c"] = As::month_first;
  EXPECT_EQ(column({"01/03/2024", "02/03/2024"}, asked).recipe.times()[0].order,
            DateOrder::month_first);
}

TEST(TableFinder, OnlyCyclesThatTheRowsShow) {
  const auto cycles = [](double hours, int rows) {
    std::vector<std::string> stamps;
    for (int i = 0; i < rows; ++i) stamps.push_back(stamp_text(1.6e9 + 3600.0 * hours * i));
    return column(stamps).recipe.times().at(0).cycles;
  };
  EXPECT_THAT(cycles(1.0, 1000), ElementsAre(Cycle::day, Cycle::week));
  EXPECT_THAT(cycles(24.0, 400), ElementsAre(Cycle::week, Cycle::year));
  EXPECT_THAT(cycles(24.0 * 30, 100), ElementsAre(Cycle::year));
  EXPECT_TRUE(cycles(1.0, 5).empty());
  Wishes asked = wishes();
  asked.cycles = parse_cycles("year");
  EXPECT_THAT(column({"2024-01-01 00:00"}, asked).recipe.times()[0].cycles,
              ElementsAre(Cycle::year));
}

TEST(TableFinder, MixedZonesAreAnError) {
  try {
    column({"2024-01-01T00:00Z", "2024-01-01T01:00"});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("column 'c': '2024-01-01T00:00Z' names a zone and "
                                        "'2024-01-01T01:00' does not"));
  }
  const Recipe recipe = column({"2024-01-01T00:00Z", "2024-01-01T02:00+01:00"}).recipe;
  EXPECT_EQ(applied(recipe, RecipeState(recipe), {"2024-01-01T05:00+02:00", "1", "2"}).inputs[0],
            3.0);
  EXPECT_THAT(applied(recipe, RecipeState(recipe), {"2024-01-01T05:00", "1", "2"}).reason,
              HasSubstr("'2024-01-01T05:00' names no zone"));
}

// Clocks go back at 03:00 on 2024-10-27 in Europe; a stamp without a zone is what the clock shows.
TEST(TableFinder, SummerTimeShiftsNothing) {
  const Recipe recipe = column({"2024-10-26 12:00", "2024-10-26 13:00"}).recipe;
  EXPECT_EQ(applied(recipe, RecipeState(recipe), {"2024-10-27 12:00", "1", "2"}).inputs[0], 24.0);
}

TEST(TableFinder, DecimalCommasAndCodesForNothing) {
  std::vector<TextRow> rows;
  for (int i = 0; i < 30; ++i) {
    rows.push_back({i % 5 == 0 ? "-200" : std::to_string(i) + ",5", std::to_string(i) + ",25"});
  }
  const Found commas = found({"c", "y"}, rows, wishes());
  EXPECT_EQ(commas.recipe.parts().decimal_mark, ',');
  EXPECT_THAT(commas.remarks, ElementsAre(HasSubstr("--missing=-200 declares it")));
  EXPECT_EQ(applied(commas.recipe, RecipeState(commas.recipe), {"2,5", "1"}).inputs[0], 2.5);
  // A comma between thousands is none.
  EXPECT_EQ(
      found({"c", "y"}, {{"1,234", "1"}, {"2,500,000", "2"}}, wishes()).recipe.parts().decimal_mark,
      '.');
  Wishes asked = wishes();
  asked.missing = {"-200"};
  asked.fill = Fill::mean;
  const Recipe declared = found({"c", "y"}, rows, asked).recipe;
  RecipeState state(declared);
  state.take(declared, applied(declared, state, {"4,0", "1"}));
  state.take(declared, applied(declared, state, {"6,0", "1"}));
  EXPECT_EQ(applied(declared, state, {"-200,0", "1"}).inputs[0], 5.0);
}

TEST(TableRecipe, GapsAreFilledAndMarked) {
  const std::map<Fill, std::vector<double>> expected{{Fill::mean, {5.0}},
                                                     {Fill::last, {6.0}},
                                                     {Fill::mean_marked, {5.0, 1.0}},
                                                     {Fill::last_marked, {6.0, 1.0}}};
  for (const auto& [fill, inputs] : expected) {
    Wishes asked = wishes();
    asked.fill = fill;
    const Recipe recipe = found({"c", "y"}, {{"1", "1"}, {"NA", "2"}}, asked).recipe;
    RecipeState state(recipe);
    state.take(recipe, applied(recipe, state, {"4", "1"}));
    state.take(recipe, applied(recipe, state, {"6", "1"}));
    const Applied row = applied(recipe, state, {"NaN", "1"});
    EXPECT_EQ(row.inputs, inputs);
    state.take(recipe, row);
    EXPECT_EQ(state.filled()[0], 1u);
  }
  Wishes asked = wishes();
  asked.fill = Fill::reject;
  const Recipe recipe = found({"c", "y"}, {{"1", "1"}, {"NA", "2"}}, asked).recipe;
  EXPECT_EQ(applied(recipe, RecipeState(recipe), {"NA", "1"}).reason,
            "column 'c': the value is missing ('NA')");
  EXPECT_EQ(applied(recipe, RecipeState(recipe), {"1", ""}).reason,
            "column 'y': the value is missing");
}

TEST(TableRecipe, LagsAreThoseOfTheSeries) {
  Wishes asked = wishes();
  asked.lags = {parse_lags("y:1,2")};
  asked.by = "site";
  const Recipe recipe = found({"site", "x", "y"}, {{"a", "1", "1"}, {"b", "2", "2"}}, asked).recipe;
  RecipeState state(recipe);
  const auto feed = [&](const std::string& site, const std::string& y) {
    const Applied row = applied(recipe, state, {site, "0", y});
    if (row.outcome != Applied::Outcome::rejected) state.take(recipe, row);
    return row;
  };
  EXPECT_EQ(feed("a", "1").outcome, Applied::Outcome::early);
  EXPECT_EQ(feed("b", "10").outcome, Applied::Outcome::early);
  EXPECT_EQ(feed("a", "2").outcome, Applied::Outcome::early);
  EXPECT_EQ(feed("b", "20").outcome, Applied::Outcome::early);
  const auto lags_of = [](const Applied& row) {
    return std::vector<double>{row.inputs[row.inputs.size() - 2], row.inputs.back()};
  };
  EXPECT_THAT(lags_of(feed("a", "3")), ElementsAre(2.0, 1.0));
  EXPECT_THAT(lags_of(feed("b", "30")), ElementsAre(20.0, 10.0));
  // A rejected row is no row.
  EXPECT_EQ(feed("a", "oops").outcome, Applied::Outcome::rejected);
  EXPECT_THAT(lags_of(feed("a", "4")), ElementsAre(3.0, 2.0));
  EXPECT_EQ(state.series(), 2u);
}

TEST(TableRecipe, AHorizonAnswersNowAndLearnsLater) {
  Wishes asked = wishes();
  asked.horizon = 2;
  asked.lags = {parse_lags("y:0,1")};
  const Recipe recipe = found({"x", "y"}, {{"1", "1"}, {"2", "2"}}, asked).recipe;
  RecipeState state(recipe);
  std::vector<std::pair<double, double>> learned;  // x of the row, and the target it got
  for (int i = 0; i < 8; ++i) {
    const Applied row =
        applied(recipe, state, {std::to_string(i), i == 5 ? "" : std::to_string(10 * i)});
    if (const auto waiting = state.arrived(recipe, row); waiting && row.target_known) {
      learned.emplace_back(waiting->inputs[0], row.targets[0]);
    }
    if (row.outcome == Applied::Outcome::ready) {
      if (i != 6) {
        EXPECT_EQ(row.inputs[2], 10.0 * (i - 1)) << "the row before";
      }
      state.wait(row, {row.inputs, {1.0}});
    } else {
      state.wait_in_vain(recipe, row);
    }
    state.take(recipe, row);
  }
  // Row 0 has no lag, and row 3 never got its target.
  EXPECT_THAT(learned, ElementsAre(std::pair{1.0, 30.0}, std::pair{2.0, 40.0}, std::pair{4.0, 60.0},
                                   std::pair{5.0, 70.0}));
  EXPECT_EQ(state.waiting(), 2u);
}

TEST(TableRecipe, WhatCannotBeMadeIsRefused) {
  const std::vector<TextRow> rows{{"1", "a", "1"}, {"2", "b", "2"}};
  const auto refused = [&](auto change) {
    Wishes asked = wishes();
    change(asked);
    try {
      found({"x", "c", "y"}, rows, asked);
      return std::string("nothing was refused");
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused([](Wishes& asked) { asked.lags = {parse_lags("c:1")}; }),
              HasSubstr("only numbers and targets have lags"));
  EXPECT_THAT(refused([](Wishes& asked) { asked.lags = {parse_lags("z:1")}; }),
              HasSubstr("there is no column 'z'"));
  EXPECT_THAT(refused([](Wishes& asked) { asked.lags = {parse_lags("y:0")}; }),
              HasSubstr("--horizon"));
  EXPECT_THAT(refused([](Wishes& asked) { asked.by = "z"; }), HasSubstr("--by"));
  EXPECT_THAT(refused([](Wishes& asked) { asked.as["z"] = As::number; }), HasSubstr("--as"));
  EXPECT_THAT(refused([](Wishes& asked) {
                asked.ignored = {"x", "c"};
              }),
              HasSubstr("no columns are left"));
  for (const char* text : {"", "y", "y:", ":1", "y:a", "y:-1", "y:1,1", "y:999999999999"}) {
    EXPECT_THROW(parse_lags(text), InvalidArgument) << text;
  }
  for (const char* text : {"c", "c=", "=number", "c=what"}) {
    EXPECT_THROW(parse_as(text), InvalidArgument) << text;
  }
  EXPECT_THROW(parse_cycles("month"), InvalidArgument);
}

// A recipe and its state as text are the same recipe and state, to the bit.
TEST(TableRecipe, TextBringsEverythingBack) {
  Wishes asked = wishes();
  asked.lags = {parse_lags("y:1,3"), parse_lags("x:2")};
  asked.by = "site";
  asked.horizon = 2;
  asked.missing = {"-99", "\xff"};  // not UTF-8
  const std::vector<std::string> columns{"when", "site", "x", "ok", "size", "y"};
  std::vector<TextRow> rows;
  for (int i = 0; i < 60; ++i) {
    rows.push_back({stamp_text(1.7e9 + 3600.0 * i), i % 3 == 0 ? "north\xff" : "south",
                    i % 7 == 0 ? "-99" : std::to_string(std::sin(i)), i % 2 == 0 ? "yes" : "no",
                    i % 3 == 1 ? "low" : "high", i % 11 == 0 ? "" : std::to_string(std::cos(i))});
  }
  const Recipe recipe = found(columns, rows, asked).recipe;
  const Recipe again = Recipe::from_text(recipe.to_text());
  EXPECT_EQ(again.to_text(), recipe.to_text());
  EXPECT_EQ(again.input_names(), recipe.input_names());
  EXPECT_EQ(again.length_scale_groups(), recipe.length_scale_groups());
  EXPECT_EQ(again.read_columns(), recipe.read_columns());

  std::map<std::string, std::string> notes;
  RecipeState whole(recipe);
  RecipeState parts(recipe);
  const auto feed = [](const Recipe& with, RecipeState& state, const TextRow& row) {
    const Applied result = applied(with, state, row);
    EXPECT_NE(result.outcome, Applied::Outcome::rejected) << result.reason;
    std::vector<double> seen = result.inputs;
    if (const auto waiting = state.arrived(with, result)) {
      seen.insert(seen.end(), waiting->inputs.begin(), waiting->inputs.end());
    }
    if (result.outcome == Applied::Outcome::ready) {
      state.wait(result, {result.inputs, {0.1, 0.2}});
    } else {
      state.wait_in_vain(with, result);
    }
    state.take(with, result);
    return seen;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 5 == 4) {  // killed and continued
      parts.save([&](const std::string& key, std::string text) { notes[key] = std::move(text); });
      parts = RecipeState::load(again, [&](const std::string& key) {
        const auto note = notes.find(key);
        return note == notes.end() ? std::nullopt : std::optional(note->second);
      });
    }
    ASSERT_EQ(feed(recipe, whole, rows[i]), feed(again, parts, rows[i])) << i;
  }
  EXPECT_EQ(whole.filled(), parts.filled());
  EXPECT_EQ(whole.waiting(), parts.waiting());
}

TEST(TableRecipe, DamagedTextIsAnError) {
  const std::string text = column({"a", "b"}).recipe.to_text();
  for (const std::string& broken :
       {std::string(), std::string("{}"), std::string("[1]"), text.substr(0, text.size() / 2)}) {
    EXPECT_THROW(Recipe::from_text(broken), FileError);
  }
  std::string newer = text;
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":9");
  EXPECT_THROW(Recipe::from_text(newer), FileError);
  const Recipe recipe = Recipe::from_text(text);
  EXPECT_THROW(RecipeState::load(recipe, [](const std::string&) { return "{\"count\":[]}"; }),
               FileError);
}

TEST(TableCode, LevelsAreAboutEquallyFarApart) {
  constexpr int kWidth = 16;
  const std::vector<std::string> known{"a", "b", "c"};
  std::vector<std::vector<double>> codes;
  for (int i = 0; i < 300; ++i) {
    codes.emplace_back(kWidth);
    set_code(i < 3 ? known[static_cast<std::size_t>(i)] : "level " + std::to_string(i), known,
             kWidth, codes.back().data());
  }
  double least = 9.0, most = 0.0, sum = 0.0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double squares = 0.0;
      for (std::size_t k = 0; k < kWidth; ++k) {
        squares += (codes[i][k] - codes[j][k]) * (codes[i][k] - codes[j][k]);
      }
      if (i < 3) {
        EXPECT_DOUBLE_EQ(squares, 1.0);
      }
      least = std::min(least, squares);
      most = std::max(most, squares);
      sum += squares;
    }
  }
  EXPECT_NEAR(sum / (300.0 * 299.0 / 2.0), 1.0, 0.01);
  // Cosines of 44,850 pairs in 16 dimensions: beyond 0.95 with a probability of about 1e-7 each.
  EXPECT_GT(least, 0.05);
  EXPECT_LT(most, 1.95);
}

TEST(TableCode, TiedAsOneLengthScale) {
  const Recipe recipe = column({"a", "b", "c", "d", "e", "a"}).recipe;
  EXPECT_THAT(recipe.length_scale_groups(), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_EQ(recipe.features()[0].count, 5u);
}

}  // namespace
}  // namespace splitgp::table_recipe_test
