// A new θ does not stop the world: local GPs adopt it one by one.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>

#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/fixed_theta.h"
#include "support/full_gp.h"
#include "support/streams.h"

namespace splitgp::hyperparameters_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kInputs = 2;
constexpr Index kOutputs = 2;

Hyperparameters theta_old() {
  Hyperparameters theta;
  theta.length_scale = VectorXd{{0.5, 0.9}};
  theta.mean = VectorXd{{0.1, -0.2}};
  theta.output_scale = VectorXd{{1.0, 1.5}};
  return theta;
}

// Different in every part.
Hyperparameters theta_new() {
  Hyperparameters theta;
  theta.kernel = KernelFamily::matern32;
  theta.length_scale = VectorXd{{0.8, 0.4}};
  theta.signal_variance = 2.0;
  theta.noise_variance = 0.03;
  theta.mean = VectorXd{{-0.5, 0.3}};
  theta.output_scale = VectorXd{{0.7, 2.0}};
  return theta;
}

SplittingGp model_of(int split_limit, Index observations, const Hyperparameters& theta) {
  Options options = testing::fixed_theta();
  options.calibration = Calibration::none;
  options.split_limit = split_limit;
  options.hyperparameters = theta;
  SplittingGp model(kInputs, kOutputs, options);
  const testing::Stream stream = testing::smooth_stream(71, kInputs, kOutputs, observations);
  model.update_batch(stream.X, stream.Y);
  return model;
}

Index behind(const SplittingGp& model) {
  Index count = 0;
  for (const LocalGpSummary& local : model.local_gps()) {
    count += local.theta_version != model.theta_version() ? 1 : 0;
  }
  return count;
}

TEST(Hyperparameters, VersionCountsUp) {
  SplittingGp model = model_of(10, 50, theta_old());
  EXPECT_EQ(model.theta_version(), 0U);
  for (std::uint64_t version = 1; version <= 3; ++version) {
    Hyperparameters theta = theta_new();
    model.set_hyperparameters(theta);
    EXPECT_EQ(model.theta_version(), version);
  }
  EXPECT_EQ(model.hyperparameters().kernel, KernelFamily::matern32);
  EXPECT_EQ(model.hyperparameters().signal_variance, 2.0);
}

TEST(Hyperparameters, EmptyPartsAreFilledIn) {
  SplittingGp model = model_of(10, 50, theta_old());
  model.set_hyperparameters({});
  EXPECT_EQ(model.hyperparameters().length_scale, VectorXd::Ones(kInputs));
  EXPECT_EQ(model.hyperparameters().mean, VectorXd::Zero(kOutputs));
  EXPECT_EQ(model.hyperparameters().output_scale, VectorXd::Ones(kOutputs));
}

// With m ≥ n the model is a full GP, so after a refit it has to be the full GP of the new θ.
TEST(Hyperparameters, RefitGivesTheFullGpOfTheNewTheta) {
  constexpr Index kObservations = 50;
  const testing::Stream stream = testing::smooth_stream(71, kInputs, kOutputs, kObservations);
  testing::Random random(72);
  const MatrixXd queries = testing::uniform_inputs(random, kInputs, 100, 1.5);
  SplittingGp model = model_of(kObservations, kObservations, theta_old());
  const Prediction old = model.predict(queries);
  model.set_hyperparameters(theta_new());
  EXPECT_EQ(behind(model), 1);
  // Not yet refitted: what it knows is still under the old θ.
  EXPECT_TRUE(testing::same_bits(model.predict(queries).mean, old.mean));
  EXPECT_EQ(model.refit(1), 0);
  EXPECT_EQ(behind(model), 0);

  const Prediction expected =
      testing::FullGp(theta_new(), stream.X, stream.Y, VectorXd::Zero(kObservations))
          .predict(queries);
  const Prediction actual = model.predict(queries);
  // As for the stream itself: cond(K) ≈ 1e4, outputs of size 1.
  EXPECT_LE((actual.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((actual.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((actual.noise_variance - expected.noise_variance).cwiseAbs().maxCoeff(), 1e-15);
}

// Streaming on after a change is the same as streaming with the new θ from the start.
TEST(Hyperparameters, UpdateAfterAChangeRefitsAndEqualsTheFullGp) {
  constexpr Index kBefore = 40;
  constexpr Index kAfter = 20;
  const testing::Stream stream = testing::smooth_stream(71, kInputs, kOutputs, kBefore);
  const testing::Stream more = testing::smooth_stream(73, kInputs, kOutputs, kAfter);
  testing::Random random(74);
  const MatrixXd queries = testing::uniform_inputs(random, kInputs, 100, 1.5);
  SplittingGp model = model_of(kBefore + kAfter, kBefore, theta_old());
  model.set_hyperparameters(theta_new());
  EXPECT_EQ(model.update(more.X.col(0), more.Y.col(0)).record.renewed, 0);
  for (Index i = 1; i < kAfter; ++i) {
    EXPECT_EQ(model.update(more.X.col(i), more.Y.col(i)).record.renewed, std::nullopt);
  }

  MatrixXd X(kInputs, kBefore + kAfter);
  MatrixXd Y(kOutputs, kBefore + kAfter);
  X << stream.X, more.X;
  Y << stream.Y, more.Y;
  const Prediction expected =
      testing::FullGp(theta_new(), X, Y, VectorXd::Zero(X.cols())).predict(queries);
  const Prediction actual = model.predict(queries);
  EXPECT_LE((actual.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LE((actual.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Hyperparameters, EachUpdateRenewsAtMostOneUntilAllAreCurrent) {
  SplittingGp model = model_of(10, 600, theta_old());
  const Index local_gps = model.n_local();
  ASSERT_GT(local_gps, 64);  // more than an update looks at
  model.set_hyperparameters(theta_new());
  EXPECT_EQ(behind(model), local_gps);
  const testing::Stream more = testing::smooth_stream(75, kInputs, kOutputs, 2 * local_gps);
  Index updates = 0;
  while (behind(model) > 0 && updates < more.X.cols()) {
    const Index before = behind(model);
    const UpdateResult result = model.update(more.X.col(updates), more.Y.col(updates));
    // One that is behind and splits leaves two.
    const Index expected = before - (result.record.renewed ? 1 : 0);
    EXPECT_GE(behind(model), expected);
    EXPECT_LE(behind(model), expected + (result.record.new_local_gp ? 1 : 0));
    ++updates;
  }
  EXPECT_EQ(behind(model), 0);
  // Every update renews one, but for the few that only look past local GPs already current.
  EXPECT_LE(updates, local_gps + local_gps / 8);
}

TEST(Hyperparameters, RefitSaysHowManyAreStillBehind) {
  SplittingGp model = model_of(10, 600, theta_old());
  const Index local_gps = model.n_local();
  EXPECT_EQ(model.refit(5), 0);
  model.set_hyperparameters(theta_new());
  EXPECT_EQ(model.refit(0), local_gps);
  EXPECT_EQ(model.refit(5), local_gps - 5);
  EXPECT_EQ(behind(model), local_gps - 5);
  EXPECT_EQ(model.refit(local_gps), 0);
  EXPECT_EQ(behind(model), 0);
}

// While some are behind, answers are a mixture; but they are answers.
TEST(Hyperparameters, PredictionsAreSaneWhileLocalGpsAreBehind) {
  SplittingGp model = model_of(10, 300, theta_old());
  testing::Random random(76);
  const MatrixXd queries = testing::uniform_inputs(random, kInputs, 50, 3.0);
  model.set_hyperparameters(theta_new());
  do {
    const Prediction prediction = model.predict(queries);
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_LE(prediction.mean.cwiseAbs().maxCoeff(), 5.0);  // the outputs are of size 1
    EXPECT_TRUE((prediction.variance.array() >= 0.0).all());
  } while (model.refit(7) > 0);
}

// To another θ and back: the factor is rebuilt from the observations, so nothing is lost.
TEST(Hyperparameters, GoingBackGivesTheOldPredictions) {
  SplittingGp model = model_of(10, 300, theta_old());
  testing::Random random(77);
  const MatrixXd queries = testing::uniform_inputs(random, kInputs, 100, 1.5);
  const Prediction before = model.predict(queries);
  model.set_hyperparameters(theta_new());
  model.refit(model.n_local());
  EXPECT_GT((model.predict(queries).mean - before.mean).cwiseAbs().maxCoeff(), 0.01);
  model.set_hyperparameters(theta_old());
  model.refit(model.n_local());
  const Prediction after = model.predict(queries);
  // A blocked factorisation rounds differently from appends and removals: cond(K) ≈ 1e3 times
  // 2e-16.
  EXPECT_LE((after.mean - before.mean).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((after.variance - before.variance).cwiseAbs().maxCoeff(), 1e-11);
}

}  // namespace
}  // namespace splitgp::hyperparameters_test
