#include "core/train/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/options/validate.h"
#include "splitgp/splitting_gp.h"
#include "support/learned.h"
#include "support/sanitized.h"
#include "support/training.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::learned;
using testing::noisy;
using testing::Random;
using testing::small_training_set;
using testing::Stream;
using testing::wave;

void expect_sane(const SplittingGp& model) {
  const Hyperparameters& theta = model.hyperparameters();
  EXPECT_TRUE(theta.length_scale.allFinite() && theta.length_scale.minCoeff() > 0.0);
  EXPECT_TRUE(theta.mean.allFinite());
  EXPECT_TRUE(std::isfinite(theta.signal_variance) && theta.signal_variance > 0.0);
  EXPECT_TRUE(std::isfinite(theta.noise_variance) && theta.noise_variance > 0.0);
}

TEST(Train, NamedKernelIsKept) {
  Options options;
  options.kernel = KernelFamily::matern32;
  const SplittingGp model =
      learned(noisy(2, testing::kSanitized ? 60 : 200, 0.1, 8, wave), options);
  EXPECT_EQ(model.hyperparameters().kernel, KernelFamily::matern32);
  EXPECT_FALSE(model.training_history().empty());
}

TEST(Train, FixedHyperparametersStay) {
  Options options;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(2, 0.7);
  options.hyperparameters->noise_variance = 0.5;
  options.fixed.length_scale = true;
  options.fixed.noise_variance = true;
  const SplittingGp model =
      learned(noisy(2, testing::kSanitized ? 60 : 200, 0.1, 9, wave), options);
  EXPECT_EQ(model.hyperparameters().length_scale, options.hyperparameters->length_scale);
  EXPECT_EQ(model.hyperparameters().noise_variance, 0.5);
  EXPECT_NE(model.hyperparameters().signal_variance, 1.0);
}

// Before the first training θ follows the scale of the data, so the unit of the outputs does not
// matter even for the second row.
TEST(Train, FirstRowsArePredictedInTheDataSOwnUnits) {
  const Stream stream = noisy(2, 20, 0.1, 12, wave);
  SplittingGp plain(2, 1);
  SplittingGp other(2, 1);
  for (Index i = 0; i < 20; ++i) {
    const VectorXd x = stream.X.col(i);
    const VectorXd y = stream.Y.col(i).array() + 10.0;
    if (i > 0) {
      const Prediction small = plain.predict(x);
      const Prediction large = other.predict(x);
      EXPECT_NEAR(large.mean(0), 1e4 * small.mean(0), 1e-6 * std::abs(large.mean(0))) << i;
      EXPECT_NEAR(large.variance(0), 1e8 * small.variance(0), 1e-6 * large.variance(0)) << i;
      EXPECT_LT(std::abs(small.mean(0) - 10.0), 5.0) << i;
    }
    plain.update(x, y);
    other.update(x, 1e4 * y);
  }
}

TEST(Train, OldThetaStaysWhenTheNewOneIsNotBetter) {
  Options options;
  options.training = Training::off;
  SplittingGp model = learned(noisy(2, testing::kSanitized ? 60 : 120, 0.1, 10, wave), options);
  const TrainResult first = model.train();
  EXPECT_TRUE(first.adopted);
  EXPECT_GT(first.objective_after, first.objective_before);
  const std::uint64_t version = model.theta_version();
  const TrainResult second = model.train();
  EXPECT_FALSE(second.adopted);
  EXPECT_EQ(model.theta_version(), version);
  EXPECT_EQ(model.training_history().size(), 2u);
}

TEST(Train, InlineTrainsWheneverTheStreamHasGrownByHalf) {
  Options options;
  if (testing::kSanitized) options.kernel = KernelFamily::rbf;  // instead of all in turn
  const SplittingGp model = learned(noisy(2, 120, 0.1, 11, wave), options);
  std::vector<std::uint64_t> sizes;
  for (const TrainResult& result : model.training_history()) sizes.push_back(result.sequence);
  EXPECT_THAT(sizes, ::testing::ElementsAre(32u, 48u, 72u, 108u));
}

TEST(Train, SearchIsPartOfItsTime) {
  Options options;
  options.kernel = KernelFamily::rbf;
  const SplittingGp model = learned(noisy(2, 120, 0.1, 11, wave), options);
  for (const TrainResult& result : model.training_history()) {
    EXPECT_EQ(result.record.search_seconds > 0.0, result.record.searched);
    EXPECT_LT(result.record.search_seconds, result.seconds);
  }
}

TEST(Train, WhatHasNothingToGainCostsOneEvaluation) {
  const TrainingSet set = small_training_set(2, 1, 6);
  TrainingPlan plan{KernelFamily::automatic, {}, Trend::none, complete({}, 2, 1)};
  const TrainResult first = train(set, plan);
  ASSERT_TRUE(first.adopted);
  EXPECT_GT(first.record.evaluations, 20);
  plan.current = first.theta;
  plan.warm = true;
  plan.search = false;
  const TrainResult second = train(set, plan);
  EXPECT_EQ(second.record.evaluations, 1);
  EXPECT_FALSE(second.adopted);
  EXPECT_EQ(second.theta.length_scale, first.theta.length_scale);
  EXPECT_NEAR(second.objective_before, first.objective_after, 1e-9);
}

TEST(Train, NeighbourhoodsAreTheNearestObservationsOfTheirBlocks) {
  const TrainingSet set = small_training_set(2, 1, 6);
  const TrainingSet near = neighbourhoods(set, 12, 10);
  ASSERT_EQ(near.blocks.size(), 2U);
  EXPECT_EQ(near.observations, 20);
  for (std::size_t b = 0; b < 2; ++b) {
    const TrainingSet::Block& whole = set.blocks[b];
    const Eigen::RowVectorXd middle = whole.inputs.row(whole.inputs.rows() / 2);
    const auto distance = [&](const Eigen::RowVectorXd& x) {
      return (x - middle).transpose().cwiseQuotient(set.input_spread).norm();
    };
    double furthest = 0.0;
    for (Index j = 0; j < 10; ++j)
      furthest = std::max(furthest, distance(near.blocks[b].inputs.row(j)));
    Index within = 0;
    for (Index j = 0; j < whole.inputs.rows(); ++j)
      within += distance(whole.inputs.row(j)) <= furthest;
    EXPECT_EQ(within, 10);
    for (Index j = 0; j < 10; ++j) {
      const auto number = near.blocks[b].sequence[static_cast<std::size_t>(j)];
      const auto row = std::find(whole.sequence.begin(), whole.sequence.end(), number);
      ASSERT_NE(row, whole.sequence.end());
      EXPECT_EQ(near.blocks[b].outputs(j, 0), whole.outputs(row - whole.sequence.begin(), 0));
    }
  }
}

TEST(Train, SameStreamSameTheta) {
  const Stream stream = noisy(3, testing::kSanitized ? 60 : 120, 0.1, 12, wave);
  const SplittingGp a = learned(stream);
  const SplittingGp b = learned(stream);
  EXPECT_EQ(a.hyperparameters().length_scale, b.hyperparameters().length_scale);
  EXPECT_EQ(a.predict(stream.X).mean, b.predict(stream.X).mean);
}

TEST(Train, CostIsBoundedByTrainingObservations) {
  Options options;
  options.split_limit = 20;
  options.training = Training::off;
  options.training_observations = testing::kSanitized ? 100 : 300;
  options.kernel = KernelFamily::rbf;
  SplittingGp model = learned(noisy(2, testing::kSanitized ? 500 : 1500, 0.1, 13, wave), options);
  EXPECT_LE(model.train().observations, options.training_observations);
}

TEST(Train, NothingToLearnFrom) {
  SplittingGp model(2, 1);
  EXPECT_FALSE(model.train().adopted);
  model.update(VectorXd::Ones(2), VectorXd::Ones(1));
  EXPECT_FALSE(model.train().adopted);
  EXPECT_EQ(model.theta_version(), 0u);
}

TEST(Train, EndsInASaneThetaWhateverTheData) {
  const auto run = [](const char* what, Stream stream, const auto& check) {
    SCOPED_TRACE(what);
    Options options;
    if (testing::kSanitized) options.kernel = KernelFamily::rbf;  // instead of all in turn
    const SplittingGp model = learned(stream, options);
    expect_sane(model);
    const Prediction prediction = model.predict(stream.X);
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_GE(prediction.variance.minCoeff(), 0.0);
    check(model);
  };
  run("50 observations", noisy(3, 50, 0.1, 20, wave),
      [](const SplittingGp& model) { EXPECT_FALSE(model.training_history().empty()); });
  run("pure noise", noisy(2, 400, 1.0, 21, [](const VectorXd&) { return 0.0; }),
      [](const SplittingGp& model) {
        // As noise, or as a function so rough that no observation tells anything about the next:
        // the likelihood cannot tell them apart.
        const Hyperparameters& theta = model.hyperparameters();
        EXPECT_NEAR(theta.signal_variance + theta.noise_variance, 1.0, 0.25);
        const Prediction between = model.predict(VectorXd::Constant(2, 0.123));
        EXPECT_LT(std::abs(between.mean(0)), 0.5);
        EXPECT_NEAR(between.variance(0) + between.noise_variance(0), 1.0, 0.4);
      });
  run("noise-free", noisy(2, 160, 0.0, 22, wave),
      [](const SplittingGp& model) { EXPECT_LT(model.hyperparameters().noise_variance, 1e-4); });
  Stream constant_column = noisy(3, 120, 0.1, 23, wave);
  constant_column.X.row(2).setConstant(1e9);
  run("constant column", constant_column,
      [](const SplittingGp& model) { EXPECT_LT(model.hyperparameters().noise_variance, 0.05); });
  Stream constant_output = noisy(2, 100, 0.1, 24, wave);
  constant_output.Y.setConstant(3.0);
  run("constant output", constant_output, [](const SplittingGp& model) {
    EXPECT_NEAR(model.predict(VectorXd::Zero(2)).mean(0, 0), 3.0, 1e-6);
  });
  Stream identical = noisy(2, 100, 0.1, 25, wave);
  identical.X.setConstant(0.5);
  run("identical inputs", identical, [](const SplittingGp&) {});
  Stream extreme = noisy(2, 100, 0.1, 26, wave);
  extreme.X *= 1e140;
  extreme.Y *= 1e-140;
  run("1e140 and 1e-140", extreme, [](const SplittingGp&) {});
}

TEST(Train, OutputsInDifferentUnitsEachGetTheirScale) {
  Random random(28);
  Stream stream{random.normal_matrix(2, 160), MatrixXd(2, 160)};
  for (Index i = 0; i < 160; ++i) {
    stream.Y(0, i) = 1e-3 * (wave(stream.X.col(i)) + 0.1 * random.normal());
    stream.Y(1, i) = 1e4 * (wave(-stream.X.col(i)) + 0.1 * random.normal()) + 5e4;
  }
  const SplittingGp model = learned(stream);
  const Prediction p = model.predict(stream.X);
  for (Index o = 0; o < 2; ++o) {
    const Eigen::ArrayXd error = (p.mean.row(o) - stream.Y.row(o)).transpose().array();
    const Eigen::ArrayXd deviation =
        (p.variance + p.noise_variance).row(o).transpose().array().sqrt();
    const double covered = (error.abs() < 1.96 * deviation).cast<double>().mean();
    EXPECT_GT(covered, 0.9);
    EXPECT_LT(covered, 0.995);
  }
}

}  // namespace
}  // namespace splitgp
