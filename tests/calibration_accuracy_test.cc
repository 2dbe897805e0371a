// Whether intervals hold what they promise on streams whose errors are not θ's: each row is
// predicted before it is learned.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "splitgp/splitting_gp.h"
#include "support/random_matrix.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

struct Coverage {
  double half = 0.0;   // of the 50 % intervals
  double most = 0.0;   // of the 95 % ones
  double worst = 1.0;  // of the 95 % ones, in stretches of 500
  double nlpd = 0.0;
};

// A smooth function of a slow walk, whose noise is t with 3 degrees of freedom, ten times larger on
// one side, and changes threefold every 1,500 rows.
Coverage coverage_on_restless_stream(Calibration calibration) {
  Options options;
  options.split_limit = 40;
  options.kernel = KernelFamily::matern32;
  options.training_observations = 150;
  options.calibration = calibration;
  SplittingGp model(2, 1, options);
  testing::Random random(1);
  VectorXd x = VectorXd::Zero(2);
  VectorXd y(1);
  Prediction p;
  Coverage result;
  constexpr int kRows = 4200;
  int scored = 0;
  int inside = 0;
  int half = 0;
  int in_stretch = 0;
  for (int i = 0; i < kRows; ++i) {
    for (double& value : x) value = std::clamp(0.98 * value + 0.2 * random.normal(), -2.0, 2.0);
    double chi = 0.0;
    for (int k = 0; k < 3; ++k) chi += std::pow(random.normal(), 2);
    const double level = (x(0) > 0.0 ? 0.3 : 0.03) * (i / 1500 % 2 == 0 ? 1.0 : 3.0);
    y(0) = std::sin(2.0 * x(0)) + x(1) + level * random.normal() / std::sqrt(chi / 3.0);
    model.predict_then_update(x, y, p);
    if (i < 200) continue;
    ++scored;
    const double at = p.level_of(0, 0, y(0));
    result.nlpd -= p.log_density(0, 0, y(0));
    half += at < 0.5 ? 1 : 0;
    inside += at < 0.95 ? 1 : 0;
    in_stretch += at < 0.95 ? 1 : 0;
    if (scored % 500 != 0) continue;
    result.worst = std::min(result.worst, in_stretch / 500.0);
    in_stretch = 0;
  }
  result.half = double(half) / scored;
  result.most = double(inside) / scored;
  result.nlpd /= scored;
  std::printf("restless stream: 50 %% %.3f, 95 %% %.3f, worst %.3f, NLPD %.3f\n", result.half,
              result.most, result.worst, result.nlpd);
  return result;
}

TEST(CalibrationAccuracy, IntervalsHoldOnARestlessStream) {
  const Coverage adaptive = coverage_on_restless_stream(Calibration::adaptive);
  EXPECT_NEAR(adaptive.half, 0.50, 0.04);
  EXPECT_NEAR(adaptive.most, 0.95, 0.015);
  EXPECT_GE(adaptive.worst, 0.90);
  const Coverage none = coverage_on_restless_stream(Calibration::none);
  EXPECT_LT(adaptive.nlpd, none.nlpd - 0.2);
}

TEST(CalibrationAccuracy, ConformalIntervalsHoldTheirShare) {
  const Coverage conformal = coverage_on_restless_stream(Calibration::conformal);
  EXPECT_NEAR(conformal.half, 0.50, 0.01);
  EXPECT_NEAR(conformal.most, 0.95, 0.01);
}

// 1,000 rows of one regime, then 500 of another, as `output` makes them; the coverage of the rows
// 100 to 300 after the change, and from 300 on.
template <typename Output>
std::array<double, 2> coverage_after_change(const Output& output) {
  Options options;
  options.split_limit = 60;
  options.kernel = KernelFamily::matern32;
  options.training_observations = 300;
  SplittingGp model(1, 1, options);
  testing::Random random(2);
  VectorXd x(1);
  VectorXd y(1);
  Prediction p;
  std::array<int, 2> inside{};
  for (int i = 0; i < 1500; ++i) {
    x(0) = std::sin(0.05 * i) + 0.1 * random.normal();
    y(0) = output(i >= 1000, x(0), random);
    model.predict_then_update(x, y, p);
    if (i < 1100) continue;
    inside[i < 1300 ? 0 : 1] += p.level_of(0, 0, y(0)) < 0.95 ? 1 : 0;
  }
  std::printf("after the change: %.3f, then %.3f\n", inside[0] / 200.0, inside[1] / 200.0);
  return {inside[0] / 200.0, inside[1] / 200.0};
}

TEST(CalibrationAccuracy, AStreamThatWakesUp) {
  const auto coverage = coverage_after_change([](bool awake, double x, testing::Random& random) {
    const double value = awake ? 40.0 + 20.0 * std::sin(3.0 * x) + 2.0 * random.normal() : 20.0;
    return std::round(100.0 * value) / 100.0;  // the sensor's last digit
  });
  EXPECT_GE(coverage[0], 0.80);
  EXPECT_GE(coverage[1], 0.90);
}

TEST(CalibrationAccuracy, ASensorThatChangesItsRange) {
  const auto coverage = coverage_after_change([](bool after, double x, testing::Random& random) {
    return (after ? 100.0 : 1.0) * (std::sin(3.0 * x) + 0.1 * random.normal());
  });
  EXPECT_GE(coverage[0], 0.80);
  EXPECT_GE(coverage[1], 0.90);
}

TEST(CalibrationAccuracy, ANewOperatingPoint) {
  const auto coverage = coverage_after_change([](bool after, double x, testing::Random& random) {
    const double noise = (after ? 0.5 : 0.02) * random.normal();
    return after ? 5.0 - 2.0 * std::cos(4.0 * x) + noise : x + noise;
  });
  EXPECT_GE(coverage[0], 0.80);
  EXPECT_GE(coverage[1], 0.90);
}

}  // namespace
}  // namespace splitgp
