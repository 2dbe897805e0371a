// Inputs that share a length scale.
#include "core/options/length_scale_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/options/validate.h"
#include "core/train/fisher_information.h"
#include "core/train/objective.h"
#include "splitgp/model_file.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/random_matrix.h"
#include "support/same_model.h"
#include "support/sanitized.h"
#include "support/temporary_directory.h"
#include "support/training.h"

namespace splitgp::length_scale_groups_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Random;

constexpr KernelFamily kFamilies[] = {KernelFamily::rbf, KernelFamily::matern12,
                                      KernelFamily::matern32, KernelFamily::matern52,
                                      KernelFamily::rational_quadratic};

TrainingSet tied_set(Index outputs) {
  TrainingSet set = testing::small_training_set(5, outputs, 21);
  set.length_scale_groups = LengthScaleGroups(5, {7, 2, 7, 2, 4});
  return set;
}

Options tied(std::vector<int> groups) {
  Options options;
  options.capacity = 40;
  options.training_observations = 120;
  options.length_scale_groups = std::move(groups);
  return options;
}

struct Rows {
  MatrixXd X, Y;
};

// A function of three inputs in very different units.
Rows rows(Index count, std::uint64_t seed) {
  Random random(seed);
  Rows result{random.normal_matrix(3, count), MatrixXd(1, count)};
  for (Index i = 0; i < count; ++i) {
    const auto x = result.X.col(i);
    result.Y(0, i) = std::sin(x(0)) + 0.5 * x(1) * x(2) + 0.05 * random.normal();
  }
  result.X.row(1) *= 300.0;
  return result;
}

TEST(LengthScaleGroups, AreCountedByTheirFirstInputs) {
  const LengthScaleGroups groups(5, {7, 2, 7, 2, 4});
  EXPECT_EQ(groups.size(), 3);
  EXPECT_EQ(groups.inputs(), 5);
  EXPECT_THAT(groups.members(0), ElementsAre(0, 2));
  EXPECT_THAT(groups.members(1), ElementsAre(1, 3));
  EXPECT_THAT(groups.members(2), ElementsAre(4));
  EXPECT_EQ(groups.of(3), 1);
  EXPECT_EQ(LengthScaleGroups(4).size(), 4);
  EXPECT_EQ(LengthScaleGroups(4).of(3), 3);
}

TEST(LengthScaleGroups, HaveOneParameterEach) {
  const TrainingSet set = tied_set(1);
  const Objective objective(set, KernelFamily::rbf, complete({}, 5, 1), {});
  EXPECT_EQ(objective.size(), 3 + 3);  // signal variance, noise variance and mean
  EXPECT_EQ(objective.name(1), "length_scale[1]");
  EXPECT_EQ(objective.name(2), "length_scale[4]");
  const Hyperparameters theta = objective.theta(objective.start(0.7, 0.1));
  EXPECT_EQ(theta.length_scale(0), theta.length_scale(2));
  EXPECT_EQ(theta.length_scale(1), theta.length_scale(3));
  // Spreads 6 and 1 in the first group, 1 and 1 in the second.
  EXPECT_NEAR(theta.length_scale(0), 0.7 * std::sqrt(37.0), 1e-12);
  EXPECT_NEAR(theta.length_scale(1), 0.7 * std::sqrt(2.0), 1e-12);
  EXPECT_LT((objective.parameters(theta) - objective.start(0.7, 0.1)).norm(), 1e-12);
}

TEST(LengthScaleGroups, AConstantInputFollowsItsGroup) {
  TrainingSet set = tied_set(1);
  set.constant_input[2] = true;
  set.constant_input[4] = true;
  const Objective objective(set, KernelFamily::rbf, complete({}, 5, 1), {});
  EXPECT_EQ(objective.size(), 2 + 3);  // the third group has nothing to learn from
  const Hyperparameters theta = objective.theta(objective.start(0.7, 0.1));
  EXPECT_EQ(theta.length_scale(0), theta.length_scale(2));
  EXPECT_NEAR(theta.length_scale(0), 0.7 * 6.0, 1e-12);
  EXPECT_EQ(theta.length_scale(4), 1.0);
}

TEST(LengthScaleGroups, GradientMatchesDifferences) {
  for (const KernelFamily family : kFamilies) {
    for (const Index outputs : {1, 2}) {
      const TrainingSet set = tied_set(outputs);
      Objective objective(set, family, complete({}, 5, outputs), {});
      Random random(3);
      VectorXd at = objective.start(1.5, 0.05);
      for (Index i = 0; i < at.size(); ++i) at(i) += 0.4 * random.normal();
      VectorXd gradient;
      objective.value(at, &gradient);
      for (Index i = 0; i < at.size(); ++i) {
        constexpr double kStep = 1e-5;  // the difference's own error: step² of a third derivative
        VectorXd up = at, down = at;
        up(i) += kStep;
        down(i) -= kStep;
        const double difference =
            (objective.value(up, nullptr) - objective.value(down, nullptr)) / (2.0 * kStep);
        EXPECT_NEAR(difference, gradient(i), 1e-6 * gradient.cwiseAbs().maxCoeff())
            << to_string(family) << ": " << objective.name(i);
      }
    }
  }
}

// A group's log length scale moves those of all its inputs, so its information is their sum.
TEST(LengthScaleGroups, FisherInformationIsThatOfTheInputsAddedUp) {
  const TrainingSet set = tied_set(2);
  const LengthScaleGroups& groups = set.length_scale_groups;
  const TrainingSet::Block& block = set.blocks.front();
  for (const KernelFamily family : kFamilies) {
    Hyperparameters theta = complete({}, 5, 2);
    theta.kernel = family;
    theta.length_scale = VectorXd{{5.0, 2.0, 5.0, 2.0, 1.5}};
    const MatrixXd alone = fisher_information(block, theta, LengthScaleGroups(5), 20);
    const MatrixXd found = fisher_information(block, theta, groups, 20);
    MatrixXd sum = MatrixXd::Zero(alone.rows(), found.rows());
    for (Index i = 0; i < alone.rows(); ++i) sum(i, i < 5 ? groups.of(i) : i - 5 + 3) = 1.0;
    EXPECT_LT((sum.transpose() * alone * sum - found).norm(), 1e-12 * found.norm());
  }
}

TEST(LengthScaleGroups, StayEqualThroughEveryTraining) {
  const Rows data = rows(testing::kSanitized ? 180 : 300, 4);
  SplittingGp model(3, 1, tied({1, 0, 1}));
  model.update_batch(data.X, data.Y);
  ASSERT_GT(model.training_history().size(), 4u);
  for (const TrainResult& training : model.training_history())
    EXPECT_EQ(training.theta.length_scale(0), training.theta.length_scale(2));
  const Vector& found = model.hyperparameters().length_scale;
  EXPECT_NE(found(0), found(1));
}

// The same column twice, with one length scale √2 times as long, is that column once: in the
// kernel, and so in Train's prior, starts and schedule.
TEST(LengthScaleGroups, AnInputTwiceIsThatInputOnce) {
  const Rows data = rows(testing::kSanitized ? 110 : 260, 5);
  MatrixXd twice(5, data.X.cols());
  twice << data.X.row(0), data.X.row(1), data.X.row(0), data.X.row(2), data.X.row(1);
  Options options = tied({});
  options.trend = Trend::none;  // two equal columns share a slope as they like
  options.kernel = KernelFamily::matern52;
  SplittingGp once(3, 1, options);
  options.length_scale_groups = {0, 1, 0, 2, 1};
  SplittingGp both(5, 1, options);
  once.update_batch(data.X, data.Y);
  both.update_batch(twice, data.Y);
  const Vector& one = once.hyperparameters().length_scale;
  const Vector& two = both.hyperparameters().length_scale;
  // Rounding differs, and the optimiser stops when little is left to gain.
  EXPECT_NEAR(two(0) / one(0), std::sqrt(2.0), 1e-3);
  EXPECT_NEAR(two(1) / one(1), std::sqrt(2.0), 1e-3);
  EXPECT_NEAR(two(3) / one(2), 1.0, 1e-3);
  const Prediction expected = once.predict(data.X.leftCols(20));
  const Prediction found = both.predict(twice.leftCols(20));
  EXPECT_LT((expected.mean - found.mean).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((expected.variance - found.variance).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(LengthScaleGroups, OfOneInputEachChangeNoBit) {
  const Rows data = rows(testing::kSanitized ? 80 : 200, 6);
  SplittingGp plain(3, 1, tied({})), grouped(3, 1, tied({5, 3, 4}));
  plain.update_batch(data.X, data.Y);
  grouped.update_batch(data.X, data.Y);
  testing::expect_same_model(plain, grouped);
  testing::expect_same_bits(plain.predict(data.X), grouped.predict(data.X));
}

TEST(LengthScaleGroups, AreInTheFile) {
  const Index all = testing::kSanitized ? 80 : 200;
  const Index half = testing::kSanitized ? 45 : 90;
  const Rows data = rows(all, 7);
  const testing::TemporaryDirectory folder;
  const auto learn = [&](auto& model, Index from, Index to) {
    for (Index i = from; i < to; ++i) model.update(data.X.col(i), data.Y.col(i));
  };
  SplittingGp undisturbed(3, 1, tied({1, 0, 1}));
  learn(undisturbed, 0, all);
  SplittingGp first(3, 1, tied({1, 0, 1}));
  learn(first, 0, half);
  ModelFile::create(folder / "model.splitgp", first);
  SplittingGp second = load(folder / "model.splitgp").model;
  EXPECT_THAT(second.options().length_scale_groups, ElementsAre(1, 0, 1));
  const std::size_t trained = second.training_history().size();
  learn(second, half, all);
  EXPECT_GT(second.training_history().size(), trained);
  testing::expect_same_model(undisturbed, second);
}

std::string rejection(const Options& options, Index inputs) {
  try {
    SplittingGp(inputs, 1, options);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(LengthScaleGroups, MistakesAreNamed) {
  EXPECT_EQ(rejection(tied({0, 1}), 3), "length_scale_groups has 2 values; the model needs 3");
  EXPECT_EQ(rejection(tied({0, -4, 1}), 3), "length_scale_groups[1] is -4; it must be at least 0");
  Options options = tied({0, 1, 0});
  options.hyperparameters.emplace().length_scale = {2.0, 1.0, 2.5};
  EXPECT_EQ(rejection(options, 3),
            "length_scale[0] is 2 and length_scale[2] is 2.5; length_scale_groups says that they "
            "are the same");
  options.hyperparameters->length_scale = {2.0, 1.0, 2.0};
  EXPECT_EQ(rejection(options, 3), "");

  SplittingGp model(3, 1, options);
  Hyperparameters theta = model.hyperparameters();
  theta.length_scale(0) = 3.0;
  EXPECT_THROW(model.set_hyperparameters(theta), InvalidArgument);
  EXPECT_EQ(model.hyperparameters().length_scale(0), 2.0);
}

}  // namespace
}  // namespace splitgp::length_scale_groups_test
