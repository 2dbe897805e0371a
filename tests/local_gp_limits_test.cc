// Where a local GP meets the limits of arithmetic and memory.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/local_gp/local_gp.h"
#include "splitgp/error.h"
#include "support/factor.h"
#include "support/local_gps.h"

namespace splitgp::local_gp_limits_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::dense;
using testing::local_gp_of;
using testing::make_theta;
using testing::Random;
using testing::smooth_stream;
using testing::Stream;

Options options_of(int split_limit) {
  Options options;
  options.split_limit = split_limit;
  options.capacity = split_limit;
  return options;
}

Hyperparameters noiseless(double signal_variance) {
  Hyperparameters theta;
  theta.signal_variance = signal_variance;
  theta.noise_variance = 0.0;
  return theta;
}

void expect_sane(const LocalGp& local, const VectorXd& x) {
  Workspace workspace;
  VectorXd mean(local.outputs().cols());
  const LocalGp::Posterior posterior = local.predict(x, workspace, mean);
  EXPECT_TRUE(mean.allFinite());
  EXPECT_GT(posterior.variance, 0.0);  // the weights of the predictions divide by it
  EXPECT_LE(posterior.variance, local.theta().values.signal_variance);
  EXPECT_GE(posterior.explained, 0.0);
}

// Of the signal variance: what every observation without noise gets, and the top of the ladder.
constexpr double kLeastJitter = 0.99e-12;
constexpr double kMostJitter = 1e-4;

TEST(LocalGpLimits, RepeatedInputsWithoutNoiseTakeJitter) {
  for (const double signal : {1.0, 1e-300, 1e-12, 1e12, 1e300}) {
    SCOPED_TRACE(signal);
    LocalGp local(2, 1, make_theta(noiseless(signal), 2, 1), options_of(100));
    Workspace workspace;
    const VectorXd x = VectorXd::Constant(2, 0.3);
    const VectorXd y = VectorXd::Constant(1, 0.5 * std::sqrt(signal));
    for (std::uint64_t i = 0; i < 100; ++i) {
      const double jitter = local.append({x, y, 0.0, i}, workspace);
      EXPECT_GE(jitter, kLeastJitter * signal);
      EXPECT_LE(jitter, kMostJitter * signal);
      EXPECT_EQ(local.jittered(), static_cast<Index>(i + 1));
      expect_sane(local, x);
      expect_sane(local, VectorXd::Constant(2, 0.9));
    }
    VectorXd mean(1);
    local.predict(x, workspace, mean);
    // The answer is y·(1 − jitter/n), found with a matrix of condition n/kLeastJitter = 1e14: two
    // digits.
    EXPECT_NEAR(mean(0), y(0), 1e-2 * y(0));
  }
}

TEST(LocalGpLimits, NoiseMakesJitterUnnecessary) {
  LocalGp local(1, 1, make_theta({}, 1, 1), options_of(100));
  Workspace workspace;
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(local.append({VectorXd::Ones(1), VectorXd::Ones(1), 0.0, i}, workspace), 0.0);
  }
  EXPECT_EQ(local.jittered(), 0);
  // The observation's own noise is enough.
  LocalGp own(1, 1, make_theta(noiseless(1.0), 1, 1), options_of(10));
  EXPECT_EQ(own.append({VectorXd::Ones(1), VectorXd::Ones(1), 0.1, 0}, workspace), 0.0);
  EXPECT_EQ(own.append({VectorXd::Ones(1), VectorXd::Ones(1), 0.1, 1}, workspace), 0.0);
}

TEST(LocalGpLimits, ContradictingRepetitionsWithoutNoiseStayFinite) {
  for (const KernelFamily family : testing::kFamilies) {
    Hyperparameters theta = noiseless(1.0);
    theta.kernel = family;
    LocalGp local(1, 1, make_theta(theta, 1, 1), options_of(60));
    Workspace workspace;
    Random random(4);
    for (std::uint64_t i = 0; i < 60; ++i) {
      // Three inputs, two of them as close as rounding allows, and outputs that do not agree.
      const double inputs[] = {0.0, 1.0, std::nextafter(1.0, 2.0)};
      const VectorXd x = VectorXd::Constant(1, inputs[random.index(3)]);
      local.append({x, VectorXd::Constant(1, random.normal()), 0.0, i}, workspace);
      for (const double query : {0.0, 0.5, 1.0, 1e150}) {
        expect_sane(local, VectorXd::Constant(1, query));
      }
    }
    EXPECT_EQ(local.jittered(), 60) << to_string(family);
  }
}

TEST(LocalGpLimits, VarianceOfWhatIsKnownExactlyIsNotNegative) {
  // Repetitions explain all but 1e-12/n of the signal variance, which is hardly more than its
  // rounding.
  for (const KernelFamily family : testing::kFamilies) {
    Hyperparameters theta = noiseless(1.0);
    theta.kernel = family;
    Random random(6);
    const MatrixXd places = random.uniform_matrix(1, 8);
    LocalGp local(1, 1, make_theta(theta, 1, 1), options_of(400));
    Workspace workspace;
    for (std::uint64_t i = 0; i < 400; ++i) {
      const VectorXd x = places.col(static_cast<Index>(i % 8));
      local.append({x, x, 0.0, i}, workspace);
      expect_sane(local, places.col(random.index(8)));
    }
  }
}

TEST(LocalGpLimits, JitterMovesAndLeavesWithItsPoint) {
  // Every second observation has noise of its own, the others need jitter.
  LocalGp local(1, 1, make_theta(noiseless(1.0), 1, 1), options_of(11));
  Workspace workspace;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const VectorXd x = VectorXd::Constant(1, static_cast<double>(i));
    local.append({x, x, i % 2 == 0 ? 0.1 : 0.0, i}, workspace);
  }
  EXPECT_EQ(local.jittered(), 6);
  std::vector<bool> leaves(12, false);
  leaves[0] = leaves[1] = true;
  local.divide(leaves);
  std::optional<std::uint64_t> displaced;
  const VectorXd near = VectorXd::Constant(1, 6.5);
  ASSERT_TRUE(local.borrow({near, near, 0.1, 12}, workspace, displaced));
  EXPECT_EQ(displaced, 0u);  // the farthest, which had none
  EXPECT_EQ(local.jittered(), 6);
  ASSERT_TRUE(local.borrow({near, near, 0.1, 13}, workspace, displaced));
  EXPECT_EQ(displaced, 1u);  // with its jitter
  EXPECT_EQ(local.jittered(), 5);
  // A refit finds the same, and a θ with noise needs none.
  local.refit(make_theta(noiseless(2.0), 1, 1));
  EXPECT_EQ(local.jittered(), 5);
  expect_sane(local, VectorXd::Constant(1, 2.5));
  local.refit(make_theta({}, 1, 1));
  EXPECT_EQ(local.jittered(), 0);
}

TEST(LocalGpLimits, AppendThatCannotBeSavedChangesNothing) {
  LocalGp local(1, 1, make_theta({}, 1, 1), options_of(10));
  Workspace workspace;
  const VectorXd one = VectorXd::Ones(1);
  local.append({one, one, 0.0, 0}, workspace);
  const VectorXd center = local.center();
  const MatrixXd factor = dense(local.factor());
  // Nothing that passes the checks of an update gets this far.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(local.append({one, one, nan, 1}, workspace), NumericalError);
  EXPECT_EQ(local.size(), 1);
  EXPECT_EQ(local.owned(), 1);
  EXPECT_EQ(local.center(), center);
  EXPECT_EQ(dense(local.factor()), factor);
  EXPECT_EQ(local.jittered(), 0);
  // The next one takes the place of the failed one.
  local.append({3.0 * one, one, 0.0, 2}, workspace);
  EXPECT_EQ(local.size(), 2);
  EXPECT_EQ(local.sequence(1), 2u);
  EXPECT_EQ(local.center()(0), 2.0);
}

TEST(LocalGpLimits, ExtremeUnitsGiveTheSamePosterior) {
  const Stream stream = smooth_stream(3, 2, 1, 30);
  const LocalGp plain = local_gp_of(stream, make_theta({}, 2, 1), options_of(30));
  Workspace workspace;
  const VectorXd x = VectorXd::Constant(2, 0.2);
  VectorXd expected(1);
  const LocalGp::Posterior posterior = plain.predict(x, workspace, expected);
  for (const double unit : {0x1p-490, 0x1p490}) {  // about 1e±147, and exact
    Hyperparameters theta;
    theta.length_scale = VectorXd::Constant(2, unit);
    theta.output_scale = VectorXd::Constant(1, 1.0 / unit);
    const LocalGp scaled =
        local_gp_of({stream.X * unit, stream.Y / unit}, make_theta(theta, 2, 1), options_of(30));
    VectorXd mean(1);
    const LocalGp::Posterior other = scaled.predict(x * unit, workspace, mean);
    EXPECT_EQ(mean(0) * unit, expected(0));
    EXPECT_EQ(other.variance, posterior.variance);
  }
}

// What the points themselves need: a triangle, inputs, outputs, z, noise, jitter, number and owner.
double bytes_held(const LocalGp& local) {
  const double n = static_cast<double>(local.size());
  const double d = static_cast<double>(local.inputs().cols());
  const double p = static_cast<double>(local.outputs().cols());
  return sizeof(double) * (n * (n + 1) / 2 + n * (d + 2 * p + 2)) + n * (sizeof(std::uint64_t) + 1);
}

void check_memory(int split_limit) {
  const Stream stream = smooth_stream(7, 4, 2, 400);
  LocalGp local(4, 2, make_theta({}, 4, 2), options_of(split_limit));
  Workspace workspace;
  Index next = 0;
  const auto append = [&](LocalGp& to) {
    to.append({stream.X.col(next), stream.Y.col(next), 0.0, static_cast<std::uint64_t>(next)},
              workspace);
    ++next;
  };
  while (local.size() < split_limit + 1) {
    append(local);
    const double bytes = static_cast<double>(local.memory_bytes());
    EXPECT_GE(bytes, bytes_held(local));
    // Rows are doubled when they run out, so a triangle is at most four times as large as needed,
    // and a tenth more for gaps; the object itself and a first panel are the rest.
    EXPECT_LE(bytes, 4.4 * bytes_held(local) + 2500.0) << local.size();
  }
  // When full, it has room for a few gaps, and panels of four rows: a bit more than a tenth of the
  // factor.
  const auto expect_tight = [](const LocalGp& full) {
    EXPECT_GE(static_cast<double>(full.memory_bytes()), bytes_held(full));
    EXPECT_LE(static_cast<double>(full.memory_bytes()), 1.2 * bytes_held(full) + 1000.0);
  };
  expect_tight(local);

  // Both children stay that small, for as long as they live.
  std::vector<bool> leaves(static_cast<std::size_t>(local.size()));
  for (std::size_t j = 0; j < leaves.size(); ++j) leaves[j] = j % 2 == 0;
  LocalGp second = local.divide(leaves);
  while (second.borrowed() > 0 && local.borrowed() > 0) {
    for (LocalGp* child : {&local, &second}) {
      append(*child);
      child->make_room(workspace);
      expect_tight(*child);
    }
  }
}

TEST(LocalGpLimits, MemoryIsWhatItHoldsWithinAStatedFactor) {
  // Whether the spare row fits into the last panel of four or needs another one.
  for (const int split_limit : {149, 150, 151, 152}) {
    SCOPED_TRACE(split_limit);
    check_memory(split_limit);
  }
}

TEST(LocalGpLimits, LargeLimitCostsNothingUntilItIsUsed) {
  LocalGp local(1, 1, make_theta({}, 1, 1), options_of(1'000'000'000));
  Workspace workspace;
  const VectorXd one = VectorXd::Ones(1);
  for (std::uint64_t i = 0; i < 3; ++i) local.append({one, one, 0.0, i}, workspace);
  EXPECT_LT(local.memory_bytes(), 3000u);
  EXPECT_LT(workspace.columns.size(), 100);
  Workspace fresh;
  VectorXd mean(1);
  local.predict(one, fresh, mean);
  EXPECT_LT(fresh.columns.size(), 100);
}

}  // namespace
}  // namespace splitgp::local_gp_limits_test
