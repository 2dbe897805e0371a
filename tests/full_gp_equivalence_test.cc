// Until the first split the model is one local GP, which must be the textbook GP.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <tuple>

#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/full_gp.h"
#include "support/random_matrix.h"
#include "support/streams.h"

namespace splitgp::full_gp_equivalence_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// With outputs of size 1 and cond(K) about 1e4 (noise 0.01 against a sum of 60 correlated signals)
// both sides carry errors around 1e4 · 2e-16; 1e-10 is the promise, and leaves a factor of 50.
constexpr double kTolerance = 1e-10;

constexpr Index kInputs = 3;
constexpr Index kObservations = 60;

// No part of θ is left at a value that could hide its absence.
Hyperparameters theta_of(KernelFamily kernel, Index outputs) {
  Hyperparameters theta;
  theta.kernel = kernel;
  theta.length_scale = VectorXd{{0.6, 1.7, 0.9}};
  theta.signal_variance = 1.3;
  theta.noise_variance = 0.01;
  theta.shape = 0.7;
  theta.mean = VectorXd::LinSpaced(outputs, 0.3, -0.5);
  theta.output_scale = VectorXd::LinSpaced(outputs, 0.8, 2.0);
  return theta;
}

using Case = std::tuple<KernelFamily, Index, bool>;

class FullGpEquivalence : public ::testing::TestWithParam<Case> {};

TEST_P(FullGpEquivalence, StreamEqualsDenseSolveAtEverySize) {
  const auto [kernel, outputs, own_noise] = GetParam();
  const Hyperparameters theta = theta_of(kernel, outputs);
  const testing::Stream stream = testing::smooth_stream(7, kInputs, outputs, kObservations);
  testing::Random random(8);
  // Known noises from none to ten times the signal.
  VectorXd noise = VectorXd::Zero(kObservations);
  if (own_noise) {
    for (double& value : noise) {
      if (random.uniform() < 0.7) value = std::pow(10.0, random.uniform(-4.0, 1.0));
    }
  }
  MatrixXd queries = testing::uniform_inputs(random, kInputs, 40, 1.5);
  queries.leftCols(10) = stream.X.leftCols(10);  // at observations too

  Options options = testing::fixed_theta();
  options.calibration = Calibration::none;
  options.split_limit = kObservations;  // m = n: the last size that must not split
  options.hyperparameters = theta;
  SplittingGp model(kInputs, outputs, options);
  for (Index n = 1; n <= kObservations; ++n) {
    const UpdateResult result =
        model.update(stream.X.col(n - 1), stream.Y.col(n - 1), noise(n - 1));
    EXPECT_EQ(result.record.jitter, 0.0);
    if (n > 3 && n % 15 != 0) continue;
    const testing::FullGp full(theta, stream.X.leftCols(n), stream.Y.leftCols(n), noise.head(n));
    const Prediction expected = full.predict(queries);
    const Prediction actual = model.predict(queries);
    EXPECT_LE((actual.mean - expected.mean).cwiseAbs().maxCoeff(), kTolerance) << "n = " << n;
    EXPECT_LE((actual.variance - expected.variance).cwiseAbs().maxCoeff(), kTolerance)
        << "n = " << n;
    EXPECT_LE((actual.noise_variance - expected.noise_variance).cwiseAbs().maxCoeff(), 1e-15);
  }
  EXPECT_EQ(model.n_local(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    SplittingGp, FullGpEquivalence,
    ::testing::Combine(::testing::Values(KernelFamily::rbf, KernelFamily::matern12,
                                         KernelFamily::matern32, KernelFamily::matern52,
                                         KernelFamily::rational_quadratic),
                       ::testing::Values(Index{1}, Index{3}), ::testing::Bool()),
    [](const auto& tested) {
      return std::string(to_string(std::get<0>(tested.param))) + "_outputs" +
             std::to_string(std::get<1>(tested.param)) +
             (std::get<2>(tested.param) ? "_own_noise" : "_shared_noise");
    });

void expect_prior(const SplittingGp& model, const MatrixXd& queries) {
  const Hyperparameters& theta = model.hyperparameters();
  const VectorXd squared_scale = theta.output_scale.array().square();
  const Prediction prediction = model.predict(queries);
  // Weights sum to 1 but for their rounding; (Σ w σ)² adds that of a square root and a square.
  EXPECT_LE((prediction.mean.colwise() - theta.mean).cwiseAbs().maxCoeff(), 1e-15);
  const MatrixXd prior = (theta.signal_variance * squared_scale).replicate(1, queries.cols());
  EXPECT_LE((prediction.variance - prior).cwiseAbs().maxCoeff(), 1e-14 * prior.maxCoeff());
  const MatrixXd noise = (theta.noise_variance * squared_scale).replicate(1, queries.cols());
  EXPECT_LE((prediction.noise_variance - noise).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(SplittingGp, PredictsThePriorBeforeAnyData) {
  Options options = testing::fixed_theta();
  options.calibration = Calibration::none;
  options.hyperparameters = theta_of(KernelFamily::matern32, 2);
  const SplittingGp model(kInputs, 2, options);
  testing::Random random(9);
  expect_prior(model, testing::uniform_inputs(random, kInputs, 10, 1e150));
  EXPECT_EQ(model.predict(MatrixXd(kInputs, 0)).mean.cols(), 0);
  EXPECT_EQ(model.explain(VectorXd::Zero(kInputs)).local.size(), 0U);
}

// Similarities underflow to 0 out there, and so does all that a local GP knows.
TEST(SplittingGp, PredictsThePriorFarFromAllData) {
  const testing::Stream stream = testing::smooth_stream(10, kInputs, 2, 100);
  for (const Aggregation aggregation :
       {Aggregation::evidence, Aggregation::similarity, Aggregation::nearest}) {
    for (const KernelFamily kernel : {KernelFamily::rbf, KernelFamily::matern12,
                                      KernelFamily::matern32, KernelFamily::matern52}) {
      Options options = testing::fixed_theta();
      options.calibration = Calibration::none;
      options.split_limit = 8;
      options.neighbors = 4;
      options.comparison.aggregation = aggregation;
      options.hyperparameters = theta_of(kernel, 2);
      SplittingGp model(kInputs, 2, options);
      model.update_batch(stream.X, stream.Y);
      ASSERT_GT(model.n_local(), 10);
      for (const double distance : {1e3, 1e8, 1e75, 1e150}) {
        SCOPED_TRACE(::testing::Message() << to_string(kernel) << ", " << to_string(aggregation)
                                          << ", distance " << distance);
        expect_prior(model, distance * MatrixXd::Identity(kInputs, kInputs));
        expect_prior(model, VectorXd::Constant(kInputs, -distance));
      }
    }
  }
}

// Its tail is a power, (r²/2·shape)^(−shape), so it approaches the prior slowly; but it does.
TEST(SplittingGp, RationalQuadraticApproachesThePrior) {
  const testing::Stream stream = testing::smooth_stream(10, kInputs, 1, 100);
  Options options = testing::fixed_theta();
  options.calibration = Calibration::none;
  options.split_limit = 8;
  options.hyperparameters = theta_of(KernelFamily::rational_quadratic, 1);
  SplittingGp model(kInputs, 1, options);
  model.update_batch(stream.X, stream.Y);
  const Prediction prediction = model.predict(1e12 * MatrixXd::Identity(kInputs, kInputs));
  // k/k(x,x) ≈ (1e24)^(−0.7) ≈ 1e-17, times weights of at most n/noise.
  EXPECT_LE((prediction.mean.array() - model.hyperparameters().mean(0)).abs().maxCoeff(), 1e-11);
  const double scale = model.hyperparameters().output_scale(0);
  const double prior = scale * scale * model.hyperparameters().signal_variance;
  EXPECT_LE((prediction.variance.array() - prior).abs().maxCoeff(), 1e-14);
}

}  // namespace
}  // namespace splitgp::full_gp_equivalence_test
