// The trend: a prior mean that is linear in the inputs, found by Train and adopted if it predicts
// forward in time.
#include "core/train/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/kernel/prior_mean.h"
#include "core/options/validate.h"
#include "splitgp/error.h"
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

Options with(Trend trend) {
  Options options;
  options.trend = trend;
  options.split_limit = 60;
  options.kernel = KernelFamily::rbf;
  options.experts = false;  // what f answers is in question
  return options;
}

double slope_and_wiggle(const VectorXd& x) {
  return 3.0 * x(0) - 2.0 * x(1) + std::sin(4.0 * x(0));
}

TEST(Trend, GeneralisedLeastSquaresFindsTheSlopesOfEachOutput) {
  TrainingSet set = small_training_set(3, 2, 1);
  for (TrainingSet::Block& block : set.blocks) {
    for (Index i = 0; i < block.inputs.rows(); ++i) {
      const double x = (block.inputs(i, 0) - 1013.0) / 6.0;
      block.outputs(i, 0) = 5.0 + 2.0 * x - block.inputs(i, 2);
      block.outputs(i, 1) = 5.0 + block.inputs(i, 1);
    }
  }
  Hyperparameters theta = complete({}, 3, 2);
  theta.length_scale(0) = 6.0;
  theta = with_trend(set, theta);
  const VectorXd expected = (VectorXd(6) << 2.0 / 6.0, 0.0, -1.0, 0.0, 1.0, 0.0).finished();
  EXPECT_LT((theta.trend_slope - expected).norm(), 0.1) << theta.trend_slope.transpose();
  EXPECT_EQ(theta.trend_origin, set.input_mean);
}

TEST(Trend, OnlyEarlierObservationsCount) {
  TrainingSet set = small_training_set(2, 1, 2);
  const Hyperparameters theta = complete({}, 2, 1);
  const Hyperparameters early = with_trend(set, theta, 20);
  set.blocks[1].outputs.setConstant(1e6);  // numbers 23 to 39
  EXPECT_EQ(with_trend(set, theta, 20).trend_slope, early.trend_slope);
  EXPECT_NE(with_trend(set, theta).trend_slope, early.trend_slope);
}

TEST(Trend, CollinearAndConstantInputsShareOrHaveNoSlope) {
  TrainingSet set = small_training_set(4, 1, 3);
  for (TrainingSet::Block& block : set.blocks) {
    block.inputs.col(2) = block.inputs.col(1);
    block.inputs.col(3).setConstant(7.0);
    block.outputs.col(0) = 5.0 + 2.0 * block.inputs.col(1).array();
  }
  set.constant_input[3] = true;
  const Hyperparameters theta = with_trend(set, complete({}, 4, 1));
  EXPECT_NEAR(theta.trend_slope(1), theta.trend_slope(2), 1e-6);
  EXPECT_NEAR(theta.trend_slope(1) + theta.trend_slope(2), 2.0, 0.2);
  EXPECT_EQ(theta.trend_slope(3), 0.0);
}

TEST(Trend, OneReadingBendsNeitherRangeNorSlopes) {
  TrainingSet set = small_training_set(2, 1, 4);
  for (TrainingSet::Block& block : set.blocks)
    block.outputs.col(0) = 5.0 + 2.0 * block.inputs.col(1).array();
  const Hyperparameters before = with_trend(set, complete({}, 2, 1));
  set.blocks.front().inputs(3, 1) = 1e6;
  const Hyperparameters after = with_trend(set, complete({}, 2, 1));
  EXPECT_NEAR(after.trend_slope(1), before.trend_slope(1), 0.1 * before.trend_slope(1));
  EXPECT_NEAR(after.trend_range(1), before.trend_range(1), 0.2 * before.trend_range(1));
}

TEST(Trend, StaysWhatItIsAtTheEndOfItsRange) {
  Hyperparameters theta;
  theta.trend_slope = VectorXd{{2.0, -1.0}};
  theta.trend_origin = VectorXd{{1.0, 0.0}};
  theta.trend_range = VectorXd{{3.0, 0.5}};
  const PriorMean prior_mean(complete(theta, 2, 1));
  const VectorXd within{{2.0, 0.25}}, end{{4.0, 0.5}}, beyond{{9831.0, 1e150}};
  EXPECT_DOUBLE_EQ(prior_mean(0, within), 2.0 * 1.0 - 0.25);
  EXPECT_DOUBLE_EQ(prior_mean(0, end), 2.0 * 3.0 - 0.5);
  EXPECT_EQ(prior_mean(0, beyond), prior_mean(0, end));
  EXPECT_EQ(prior_mean.slope(0, 0, within), 2.0);
  EXPECT_EQ(prior_mean.slope(0, 0, beyond), 0.0);
  EXPECT_EQ(prior_mean.slope(0, 1, beyond), 0.0);
}

TEST(Trend, ExtrapolatesInAnyUnits) {
  for (const double scale : {1.0, 1e150, 1e-150}) {
    for (const double offset : {0.0, 1e9}) {
      Stream stream = noisy(2, testing::kSanitized ? 120 : 300, 0.05, 4, slope_and_wiggle);
      const VectorXd farthest_seen = stream.X.cwiseAbs().rowwise().maxCoeff();
      const double most = 2.0 * (3.0 * farthest_seen(0) + 2.0 * farthest_seen(1));
      const VectorXd far = (VectorXd(2) << 20.0, -20.0).finished().array() + offset;
      stream.X.array() += offset;
      stream.Y *= scale / 100.0;
      const SplittingGp model = learned(stream, with(Trend::linear));
      const Prediction prediction = model.predict(far);
      // To the end of its range, twice as far from the middle as all but the farthest.
      const double share = 100.0 * prediction.mean(0) / scale / most;
      EXPECT_TRUE(0.7 < share && share < 1.02) << share << " " << scale << " " << offset;
      EXPECT_TRUE(std::isfinite(prediction.variance(0)) && prediction.variance(0) >= 0.0);
      const VectorXd farthest = VectorXd::Constant(2, 1e150);
      EXPECT_TRUE(std::isfinite(model.predict(farthest).mean(0)));
    }
  }
}

TEST(Trend, IsAdoptedWhereItPredictsForward) {
  // A slow walk, which stays within twice what it has seen: rows lie beside the last ones.
  Random random(5);
  constexpr Index kRows = testing::kSanitized ? 400 : 700;
  Stream stream{MatrixXd(2, kRows), MatrixXd(1, kRows)};
  VectorXd x = VectorXd::Zero(2);
  for (Index i = 0; i < kRows; ++i) {
    for (Index k = 0; k < 2; ++k) x(k) = 0.98 * x(k) + 0.5 * random.normal();
    stream.X.col(i) = x;
    stream.Y(0, i) = slope_and_wiggle(x) + 0.1 * random.normal();
  }
  const SplittingGp model = learned(stream, with(Trend::automatic));
  EXPECT_NEAR(model.hyperparameters().trend_slope(0), 3.0, 0.3);
  EXPECT_NEAR(model.hyperparameters().trend_slope(1), -2.0, 0.3);
  // The training that adopted it says why; later ones ask again only when they search.
  const std::vector<TrainResult>& history = model.training_history();
  const auto won = std::find_if(history.begin(), history.end(),
                                [](const TrainResult& result) { return result.record.trend_won; });
  ASSERT_NE(won, history.end());
  EXPECT_GT(won->record.forward_with_trend, won->record.forward_without_trend);
}

TEST(Trend, IsRejectedWhereItDoesNot) {
  const auto bump = [](const VectorXd& x) { return std::exp(-x.squaredNorm()); };
  const SplittingGp model =
      learned(noisy(2, testing::kSanitized ? 200 : 500, 0.1, 6, bump), with(Trend::automatic));
  EXPECT_TRUE((model.hyperparameters().trend_slope.array() == 0.0).all());
}

TEST(Trend, AFixedMeanAndNoneLeaveItAlone) {
  const Stream stream = noisy(2, testing::kSanitized ? 80 : 200, 0.05, 7, slope_and_wiggle);
  Options options = with(Trend::linear);
  options.fixed.mean = true;
  EXPECT_TRUE((learned(stream, options).hyperparameters().trend_slope.array() == 0.0).all());
  options = with(Trend::none);
  EXPECT_TRUE((learned(stream, options).hyperparameters().trend_slope.array() == 0.0).all());
  options.hyperparameters.emplace().trend_slope = VectorXd::Constant(2, 1.5);
  EXPECT_EQ(learned(stream, options).hyperparameters().trend_slope, VectorXd::Constant(2, 1.5));
}

TEST(Trend, ZeroSlopesAreNoTrendToTheBit) {
  const Stream stream = noisy(2, 150, 0.1, 8, wave);
  Options options = with(Trend::none);
  options.training = Training::off;
  options.hyperparameters.emplace();
  const SplittingGp plain = learned(stream, options);
  options.hyperparameters->trend_slope = VectorXd::Zero(2);
  options.hyperparameters->trend_origin = VectorXd::Constant(2, 3.0);
  const SplittingGp zero = learned(stream, options);
  EXPECT_EQ(plain.predict(stream.X).mean, zero.predict(stream.X).mean);
}

TEST(Trend, IsThePriorOfAnEmptyModel) {
  Options options;
  options.hyperparameters.emplace().trend_slope = VectorXd::Constant(2, 2.0);
  options.hyperparameters->trend_origin = VectorXd::Constant(2, 1.0);
  options.hyperparameters->mean = VectorXd::Constant(1, 5.0);
  const SplittingGp model(2, 1, options);
  EXPECT_DOUBLE_EQ(model.predict(VectorXd::Constant(2, 4.0)).mean(0), 5.0 + 2.0 * 2.0 * 3.0);
}

TEST(Trend, WithReachIsOnlyWhatLocalGpsFallBackTo) {
  const Stream stream = noisy(2, 150, 0.01, 9, wave);
  Options options = with(Trend::none);
  options.training = Training::off;
  options.hyperparameters.emplace().noise_variance = 1e-4;
  const SplittingGp plain = learned(stream, options);
  options.hyperparameters->trend_slope = VectorXd::Constant(2, 2.0);
  options.hyperparameters->trend_reach = 0.1;
  const SplittingGp falls_back = learned(stream, options);
  const VectorXd known = VectorXd::Zero(2);
  EXPECT_NEAR(falls_back.predict(known).mean(0), plain.predict(known).mean(0), 1e-3);
  const VectorXd unknown = VectorXd::Constant(2, 50.0);
  EXPECT_NEAR(falls_back.predict(unknown).mean(0), 200.0, 0.1);
  // In between nothing jumps: the slope is that of a smooth function.
  VectorXd x = VectorXd::Zero(2);
  double before = falls_back.predict(x).mean(0);
  for (int i = 0; i < 2000; ++i) {
    x(0) += 0.005;
    const double now = falls_back.predict(x).mean(0);
    EXPECT_LT(std::abs(now - before), 0.2);
    before = now;
  }
}

TEST(Trend, InvalidOnesAreRejected) {
  Options options;
  options.hyperparameters.emplace().trend_slope = VectorXd::Zero(3);
  EXPECT_THROW(SplittingGp(2, 1, options), InvalidArgument);
  options.hyperparameters.emplace().trend_origin = VectorXd::Zero(3);
  EXPECT_THROW(SplittingGp(2, 1, options), InvalidArgument);
  options.hyperparameters.emplace().trend_reach = -1.0;
  EXPECT_THROW(SplittingGp(2, 1, options), InvalidArgument);
  options.hyperparameters.emplace().trend_slope = VectorXd::Constant(2, std::nan(""));
  EXPECT_THROW(SplittingGp(2, 1, options), InvalidArgument);
}

}  // namespace
}  // namespace splitgp
