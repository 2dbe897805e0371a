// What happens to a row of a table, whoever learns it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "splitgp/error.h"
#include "table/take_row.h"

namespace splitgp::table {
namespace {

Options untrained() {
  Options options;
  options.training = Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(1, 1.0);
  return options;
}

// Remembers what it was asked to do.
class Pupil : public RowModel {
 public:
  const SplittingGp& model() const override { return model_; }
  bool learn(std::span<const double> x, std::span<const double> y, double time,
             Prediction& before) override {
    if (fails) throw NumericalError("it cannot be learned");
    model_.predict_then_update(column(x), column(y), before, 0.0, time);
    learned.push_back(y[0]);
    return true;
  }
  void learn_answered(std::span<const double> x, std::span<const double> y, double time,
                      const Prediction& said) override {
    if (fails) throw NumericalError("it cannot be learned");
    model_.update(column(x), column(y), 0.0, time);
    learned.push_back(y[0]);
    means.push_back(said.mean(0, 0));
  }
  void change(const std::function<void()>& work) override {
    ++changes;
    work();
  }

  bool fails = false;
  int changes = 0;
  std::vector<double> learned;
  std::vector<double> means;  // that had been answered

 private:
  static Eigen::Map<const Eigen::VectorXd> column(std::span<const double> values) {
    return {values.data(), std::ssize(values)};
  }

  SplittingGp model_{1, 1, untrained()};
};

// x and y, of which the model has one input: x itself or, with a horizon, y one row before.
Recipe recipe(int horizon) {
  Recipe::Parts parts;
  parts.columns = {{.name = "x", .use = horizon > 0 ? Use::none : Use::number}, {.name = "y"}};
  parts.targets = {1};
  parts.horizon = horizon;
  if (horizon > 0) parts.lags = {{"y", {0}}};
  return Recipe(std::move(parts));
}

class TableTakeRow : public ::testing::Test {
 protected:
  void take(const Recipe& recipe, double y, double x = 1.0) {
    std::vector<Cell> cells;
    for (const std::string& name : recipe.read_columns())
      cells.push_back(Cell::of(name == "x" ? x : y));
    recipe.apply(cells, state_, applied_);
    ASSERT_NE(applied_.outcome, Applied::Outcome::rejected) << applied_.reason;
    take_row(recipe, state_, applied_, pupil_, taken_);
  }

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const Recipe plain_ = recipe(0);
  const Recipe ahead_ = recipe(2);
  RecipeState state_{plain_};
  Applied applied_;
  Pupil pupil_;
  TakenRow taken_;
};

TEST_F(TableTakeRow, PredictsThenLearnsWhatHasATarget) {
  take(plain_, 3.0);
  EXPECT_EQ(taken_.fate, Fate::learned);
  EXPECT_EQ(taken_.answer.mean(0, 0), 0.0) << "before it was learned";
  EXPECT_TRUE(taken_.interval_known) << "nothing is ever trained";
  take(plain_, kUnknown);
  EXPECT_EQ(taken_.fate, Fate::predicted);
  EXPECT_GT(taken_.answer.mean(0, 0), 1.0);
  EXPECT_EQ(pupil_.learned, (std::vector{3.0}));
  EXPECT_GT(pupil_.changes, 0);
}

TEST_F(TableTakeRow, WithAHorizonARowBringsTheTargetOfAnEarlierOne) {
  state_ = RecipeState(ahead_);
  std::vector<double> said;
  for (const double y : {1.0, 2.0, 3.0, kUnknown, 5.0}) {
    take(ahead_, y);
    EXPECT_EQ(taken_.fate, Fate::waiting);
    const auto expected = std::ssize(said) < 2 ? TakenRow::Earlier::none
                          : std::isnan(y)      ? TakenRow::Earlier::without_target
                                               : TakenRow::Earlier::learned;
    EXPECT_EQ(taken_.earlier, expected) << y;
    if (taken_.earlier == TakenRow::Earlier::learned) {
      EXPECT_EQ(taken_.said.mean(0, 0), said[said.size() - 2]);
    }
    said.push_back(taken_.answer.mean(0, 0));
  }
  EXPECT_EQ(pupil_.learned, (std::vector{3.0, 5.0}));
  EXPECT_EQ(pupil_.means, (std::vector{said[0], said[2]}));
  EXPECT_EQ(state_.waiting(), 2u);
}

TEST_F(TableTakeRow, ARowThatCannotBeLearnedIsNotRemembered) {
  Recipe::Parts parts;
  parts.columns = {{.name = "x"}, {.name = "y"}};
  parts.targets = {1};
  parts.lags = {{"y", {1}}};
  const Recipe lagged(std::move(parts));
  state_ = RecipeState(lagged);
  take(lagged, 1.0);
  EXPECT_EQ(taken_.fate, Fate::early);
  pupil_.fails = true;
  EXPECT_THROW(take(lagged, 2.0), NumericalError);
  EXPECT_EQ(taken_.earlier, TakenRow::Earlier::none);
  pupil_.fails = false;
  take(lagged, 3.0);
  EXPECT_EQ(taken_.fate, Fate::learned);
  EXPECT_EQ(applied_.inputs, (std::vector{1.0})) << "the target of the row that was taken before";
}

}  // namespace
}  // namespace splitgp::table
