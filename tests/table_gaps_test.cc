// What a gap is filled with when nobody says, when a mark says that there was one, and how wide the
// error bars then are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "splitgp/error.h"
#include "table/finder.h"
#include "table/gap_evidence.h"
#include "table/resemblance.h"
#include "table/state.h"
#include "table/widening.h"

namespace splitgp::table_gaps_test {
namespace {

using namespace table;
using table::Cell;
using ::testing::HasSubstr;

Resemblance learned(const std::vector<double>& values) {
  Resemblance result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.see(values[i], i == 0 ? 0.0 : values[i - 1], i == 0 ? 0 : 1);
  }
  return result;
}

std::vector<double> noise(std::size_t rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> values(rows);
  for (double& value : values) value = normal(random);
  return values;
}

// An autoregression of the first order around 100.
std::vector<double> following(std::size_t rows, double correlation) {
  std::vector<double> values = noise(rows, 4);
  for (std::size_t i = 1; i < rows; ++i) values[i] += correlation * values[i - 1];
  for (double& value : values) value += 100.0;
  return values;
}

TEST(TableResemblance, LearnsHowValuesFollowEachOther) {
  // 2,000 rows, of which a thousand count: a standard error of 0.03 at most, and the clipping.
  for (const double correlation : {0.0, 0.5, 0.9}) {
    EXPECT_NEAR(learned(following(2000, correlation)).correlation(), correlation, 0.1);
  }
  std::vector<double> walk = noise(1000, 5);
  for (std::size_t i = 1; i < walk.size(); ++i) walk[i] += walk[i - 1];
  EXPECT_GT(learned(walk).correlation(), 0.95);
}

TEST(TableResemblance, GuessesBetweenTheLastValueAndTheMean) {
  const Resemblance follows = learned(following(2000, 0.9));
  double before = 110.0;
  for (std::uint64_t rows = 1; rows < 200; ++rows) {
    const double guess = follows.guess(110.0, rows);
    EXPECT_LE(guess, before);  // the longer ago, the less it says
    before = guess;
  }
  EXPECT_NEAR(before, 100.0, 0.6);  // the mean's standard error is 0.22
  EXPECT_EQ(follows.guess(0.0, 0), follows.guess(5.0, 0));
  EXPECT_NEAR(learned(noise(500, 6)).guess(3.0, 1), 0.0, 0.5);
}

TEST(TableResemblance, OneAbsurdReadingChangesLittle) {
  std::vector<double> values = following(1000, 0.9);
  const Resemblance sound = learned(values);
  values[500] = 1e6;
  const Resemblance broken = learned(values);
  EXPECT_NEAR(broken.correlation(), sound.correlation(), 0.1);
  EXPECT_NEAR(broken.guess(0.0, 0), sound.guess(0.0, 0), 0.1);
}

RC_GTEST_PROP(TableResemblance, AGuessIsAmongWhatWasSeen, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(rc::gen::map(
      rc::gen::inRange(-300, 301),
      [](int power) { return (power % 2 == 0 ? 1.0 : -1.0) * std::pow(10.0, power); })));
  const Resemblance column = learned(values);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  // Rounding of a running mean of numbers of this size.
  const double slack = 1e-9 * std::max(std::abs(*low), std::abs(*high));
  for (const std::uint64_t rows : {0, 1, 2, 100}) {
    const double guess = column.guess(values.back(), rows);
    RC_ASSERT(std::isfinite(guess));
    RC_ASSERT(guess >= *low - slack);
    RC_ASSERT(guess <= *high + slack);
  }
  const Resemblance again = Resemblance::of(column.numbers());
  RC_ASSERT(again.numbers() == column.numbers());
}

TEST(TableResemblance, AConstantColumnIsItsValue) {
  Resemblance column = learned(std::vector<double>(50, 7.0));
  EXPECT_EQ(column.guess(7.0, 3), 7.0);
  // When it moves at last, it follows.
  for (int i = 0; i < 200; ++i) column.see(9.0, i == 0 ? 7.0 : 9.0, 1);
  EXPECT_NEAR(column.guess(9.0, 1), 9.0, 0.2);
}

TEST(TableGaps, TellOfATargetOrNot) {
  std::vector<double> target = noise(400, 7);
  std::vector<bool> gap(400);
  for (std::size_t i = 0; i < gap.size(); ++i) gap[i] = i % 5 == 0;
  EXPECT_FALSE(gaps_tell(gap, target));
  for (std::size_t i = 0; i < gap.size(); ++i) target[i] += gap[i] ? 3.0 : 0.0;
  EXPECT_TRUE(gaps_tell(gap, target));
  // At any scale, and with rows that have no target.
  for (double& value : target) value *= 1e300;
  target[10] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(gaps_tell(gap, target));
  // Too few to say.
  gap.assign(400, false);
  for (std::size_t i = 0; i < 9; ++i) gap[40 * i] = true;
  EXPECT_FALSE(gaps_tell(gap, target));
  EXPECT_FALSE(gaps_tell({}, {}));
  EXPECT_FALSE(gaps_tell(std::vector<bool>(100, true), std::vector<double>(100, 0.0)));
}

std::vector<Cell> cells_of(const std::vector<std::string>& row) {
  std::vector<Cell> cells;
  for (const std::string& text : row) cells.push_back(Cell::of(text));
  return cells;
}

// A smooth column with a gap in every seventh row, and a target that the gaps move or not.
std::vector<std::vector<std::string>> rows_with_gaps(double moved) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<double> free = noise(300, 8);
  for (std::size_t i = 0; i < 300; ++i) {
    const bool gap = i % 7 == 3;
    rows.push_back({gap ? "" : std::to_string(std::sin(0.05 * static_cast<double>(i))),
                    std::to_string(free[i] + (gap ? moved : 0.0))});
  }
  return rows;
}

Found found(const std::vector<std::vector<std::string>>& rows) {
  Wishes wishes;
  wishes.targets = {"y"};
  RecipeFinder finder({"c", "y"}, wishes);
  for (const auto& row : rows) finder.add(cells_of(row));
  return finder.find();
}

TEST(TableGaps, AreGuessedUnlessAskedOtherwise) {
  const std::vector<std::vector<std::string>> rows = rows_with_gaps(0.0);
  const Recipe recipe = found(rows).recipe;
  EXPECT_EQ(recipe.parts().fill, Fill::automatic);
  EXPECT_EQ(recipe.input_names(), std::vector<std::string>{"c"});
  EXPECT_THAT(recipe.explanation().front(), HasSubstr("filled with a guess"));
  EXPECT_THAT(recipe.flags_toml(), HasSubstr("fill = \"auto\""));
  RecipeState state(recipe);
  Applied row;
  double worst = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    recipe.apply(cells_of(rows[i]), state, row);
    ASSERT_EQ(row.outcome, Applied::Outcome::ready);
    if (i > 50 && rows[i][0].empty()) {
      worst = std::max(worst, std::abs(row.inputs[0] - std::sin(0.05 * static_cast<double>(i))));
    }
    state.take(recipe, row);
  }
  // The last value is up to 0.05 away, the mean up to 1.
  EXPECT_LT(worst, 0.15);
}

TEST(TableGaps, AreMarkedIfTheyTellOfTheTarget) {
  EXPECT_EQ(found(rows_with_gaps(0.0)).recipe.input_names().size(), 1u);
  const Recipe recipe = found(rows_with_gaps(4.0)).recipe;
  EXPECT_EQ(recipe.input_names(), (std::vector<std::string>{"c", "c missing"}));
  EXPECT_THAT(recipe.explanation().front(), HasSubstr("and marked"));
  EXPECT_EQ(Recipe::from_text(recipe.to_text()).input_names(), recipe.input_names());
}

TEST(TableGaps, OfEachSeriesFollowItsOwnValues) {
  Wishes wishes;
  wishes.targets = {"y"};
  wishes.by = "site";
  RecipeFinder finder({"site", "c", "y"}, wishes);
  for (int i = 0; i < 40; ++i) {
    finder.add(cells_of({i % 2 == 0 ? "a" : "b", i == 7 ? "" : std::to_string(i % 2), "1"}));
  }
  const Recipe recipe = finder.find().recipe;
  RecipeState state(recipe);
  Applied row;
  for (int i = 0; i < 400; ++i) {
    recipe.apply(cells_of({i % 2 == 0 ? "a" : "b", std::to_string(i % 2 * 10), "1"}), state, row);
    state.take(recipe, row);
  }
  const auto filled = [&](const char* site) {
    recipe.apply(cells_of({site, "", "1"}), state, row);
    return row.inputs[row.inputs.size() - 1];
  };
  EXPECT_NEAR(filled("a"), 0.0, 0.2);
  EXPECT_NEAR(filled("b"), 10.0, 0.2);
  EXPECT_NEAR(filled("a new one"), 5.0, 0.2);
}

TEST(TableGaps, DamagedStateIsAnError) {
  const Recipe recipe = found(rows_with_gaps(0.0)).recipe;
  RecipeState state(recipe);
  Applied row;
  recipe.apply(cells_of({"1", "2"}), state, row);
  state.take(recipe, row);
  std::map<std::string, std::string> notes;
  state.save([&](const std::string& key, std::string text) { notes[key] = std::move(text); });
  const auto load = [&] {
    return RecipeState::load(recipe, [&](const std::string& key) {
      const auto note = notes.find(key);
      return note == notes.end() ? std::nullopt : std::optional(note->second);
    });
  };
  load();
  const std::map<std::string, std::string> sound = notes;
  const auto spoil = [&](const std::string& key, const std::string& text, const std::string& by) {
    notes = sound;
    std::string& note = notes.at(key);
    ASSERT_NE(note.find(text), std::string::npos) << note;
    note.replace(note.find(text), text.size(), by);
    EXPECT_THROW(load(), FileError) << note;
  };
  spoil("table_state", "\"resemblance\":[[", "\"resemblance\":[[0,0,0,0,0],[");
  spoil("table_state", "\"resemblance\"", "\"other\"");
  spoil("table_series 0", "\"last_row\":[0,0]", "\"last_row\":[0,9]");
  spoil("table_series 0", "\"last_row\":[0,0]", "\"last_row\":[0]");
}

TEST(TableWidening, FollowsTheErrorsOfGuessedRows) {
  Widening widening;
  EXPECT_EQ(widening.factor(), 1.0);
  const std::vector<double> errors = noise(4000, 9);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const bool guessed = i % 4 == 0;
    const double error = guessed ? 2.0 * errors[i] : errors[i];
    widening.see(guessed, error * error);
  }
  // Of 500 rows of a kind that count, the mean of z² has a relative standard error of 0.06, and
  // the bound on single errors takes a little.
  EXPECT_NEAR(widening.factor(), 4.0, 0.8);
  const double before = widening.factor();
  widening.see(true, 1e300);
  EXPECT_LT(widening.factor(), before + 0.2);
  widening.see(true, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isfinite(widening.factor()));
  EXPECT_EQ(Widening::of(widening.numbers()).factor(), widening.factor());
}

TEST(TableWidening, NeverNarrows) {
  Widening widening;
  for (int i = 0; i < 100; ++i) widening.see(i % 2 == 0, i % 2 == 0 ? 0.01 : 1.0);
  EXPECT_EQ(widening.factor(), 1.0);
}

// bench/campaign --seed 3 rows: targets near 1e150, one of them far from what was expected.
TEST(TableWidening, LeavesHugeVariancesFinite) {
  Prediction answer;
  answer.mean = Eigen::VectorXd::Zero(2);
  answer.variance = Eigen::Vector2d(4e307, 1.0);
  answer.noise_variance = Eigen::Vector2d(4e307, 2.0);
  widen(answer, 0, 100.0);
  EXPECT_TRUE(std::isfinite(answer.variance(0, 0) + answer.noise_variance(0, 0)));
  EXPECT_GE(answer.variance(0, 0), 4e307);
  EXPECT_EQ(answer.variance(1, 0), 100.0);
  EXPECT_EQ(answer.noise_variance(1, 0), 200.0);
}

TEST(TableWidening, IsLearnedFromAnswersAndOutlivesAKill) {
  const std::vector<std::vector<std::string>> rows = rows_with_gaps(0.0);
  const Recipe recipe = found(rows).recipe;
  RecipeState state(recipe);
  Applied row;
  Prediction answer;
  for (const auto& cells : rows) {
    recipe.apply(cells_of(cells), state, row);
    EXPECT_EQ(row.guessed, cells[0].empty());
    answer.mean = Eigen::VectorXd::Constant(1, row.targets[0] + (row.guessed ? 3.0 : 1.0));
    answer.variance = Eigen::VectorXd::Constant(1, 0.5);
    answer.noise_variance = Eigen::VectorXd::Constant(1, 0.5);
    widen(answer, 0, state.widening(row));
    state.judge(row, answer);
    state.take(recipe, row);
  }
  row.guessed = true;
  // 42 rows of z² = 9, and ten that are assumed to be as promised.
  EXPECT_NEAR(state.widening(row), (42.0 * 9.0 + 10.0) / 52.0, 0.3);
  std::map<std::string, std::string> notes;
  state.save([&](const std::string& key, std::string text) { notes[key] = std::move(text); });
  const RecipeState again = RecipeState::load(
      recipe, [&](const std::string& key) { return std::optional(notes.at(key)); });
  EXPECT_EQ(again.widening(row), state.widening(row));
  row.guessed = false;
  EXPECT_EQ(state.widening(row), 1.0);
}

TEST(TableWidening, GapsThatAreUsualAreNoNews) {
  std::vector<std::vector<std::string>> rows = rows_with_gaps(0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 5 != 0) rows[i][0].clear();
  }
  const Recipe recipe = found(rows).recipe;
  RecipeState state(recipe);
  Applied row;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    recipe.apply(cells_of(rows[i]), state, row);
    EXPECT_FALSE(row.guessed && i > 10);
    state.take(recipe, row);
  }
}

}  // namespace
}  // namespace splitgp::table_gaps_test
