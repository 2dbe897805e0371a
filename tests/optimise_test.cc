#include "core/train/optimise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace splitgp::optimise_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// −½ (x − peak)ᵀ C (x − peak)
Differentiable quadratic(const MatrixXd& C, const VectorXd& peak) {
  return [=](const VectorXd& x, VectorXd* gradient) {
    const VectorXd away = x - peak;
    if (gradient != nullptr) *gradient = -C * away;
    return -0.5 * away.dot(C * away);
  };
}

// −100 (y − x²)² − (1 − x)²
double rosenbrock(const VectorXd& at, VectorXd* gradient) {
  const double x = at(0), y = at(1), t = y - x * x;
  if (gradient != nullptr) {
    *gradient = VectorXd(2);
    *gradient << 400.0 * x * t + 2.0 * (1.0 - x), -200.0 * t;
  }
  return -100.0 * t * t - (1.0 - x) * (1.0 - x);
}

const VectorXd kWide = VectorXd::Constant(2, 1e3);

TEST(Optimise, KnownCurvatureNeedsOneStep) {
  MatrixXd C(2, 2);
  C << 3.0, 1.0, 1.0, 0.5;
  const VectorXd peak = VectorXd::Constant(2, 0.7);
  const Optimum optimum =
      maximise(quadratic(C, peak), C, VectorXd::Zero(2), -kWide, kWide, {50, 1e-12});
  EXPECT_EQ(optimum.evaluations, 2);
  EXPECT_LT((optimum.parameters - peak).norm(), 1e-9);
}

TEST(Optimise, LearnsACurvatureThatIsFarOff) {
  MatrixXd C(2, 2);
  C << 300.0, 10.0, 10.0, 0.5;
  const VectorXd peak = VectorXd::Constant(2, 0.7);
  const Optimum optimum = maximise(quadratic(C, peak), MatrixXd::Identity(2, 2), VectorXd::Zero(2),
                                   -kWide, kWide, {100, 1e-12});
  EXPECT_LT((optimum.parameters - peak).norm(), 1e-4);
}

TEST(Optimise, FollowsACurvedValley) {
  const VectorXd start = (VectorXd(2) << -1.2, 1.0).finished();
  const Optimum optimum =
      maximise(rosenbrock, MatrixXd::Identity(2, 2), start, -kWide, kWide, {200, 1e-12});
  EXPECT_LT((optimum.parameters - VectorXd::Ones(2)).norm(), 1e-4);
  EXPECT_LT(optimum.evaluations, 100);
  EXPECT_EQ(optimum.start_value, rosenbrock(start, nullptr));
}

TEST(Optimise, StaysWithinBoundsAndFindsTheBestThere) {
  MatrixXd C(2, 2);
  C << 2.0, 0.5, 0.5, 1.0;
  const VectorXd peak = (VectorXd(2) << 3.0, 0.2).finished();
  const VectorXd upper = VectorXd::Ones(2);
  const Optimum optimum =
      maximise(quadratic(C, peak), C, VectorXd::Zero(2), -upper, upper, {50, 1e-12});
  // At x = 1 the best y solves 0.5 (1 − 3) + (y − 0.2) = 0, which is 1.2 and so at its bound too.
  EXPECT_NEAR(optimum.parameters(0), 1.0, 1e-9);
  EXPECT_NEAR(optimum.parameters(1), 1.0, 1e-6);
}

TEST(Optimise, GoesAroundWhatIsNotAllowed) {
  const Differentiable walled = [](const VectorXd& x, VectorXd* gradient) {
    if (x(0) > 0.5) return -kInfinity;
    *gradient = VectorXd::Ones(1) * (1.0 - x(0));
    return -0.5 * (1.0 - x(0)) * (1.0 - x(0));
  };
  const Optimum optimum =
      maximise(walled, MatrixXd::Identity(1, 1), VectorXd::Zero(1), VectorXd::Constant(1, -9.0),
               VectorXd::Constant(1, 9.0), {60, 1e-9});
  EXPECT_GT(optimum.parameters(0), 0.4);
  EXPECT_LE(optimum.parameters(0), 0.5);
  EXPECT_TRUE(std::isfinite(optimum.value));
}

TEST(Optimise, AForbiddenStartIsReturnedAsItIs) {
  const Differentiable nowhere = [](const VectorXd& x, VectorXd* gradient) {
    gradient->setZero(x.size());
    return -kInfinity;
  };
  const Optimum optimum =
      maximise(nowhere, MatrixXd::Identity(2, 2), VectorXd::Ones(2), -kWide, kWide, {10, 1e-9});
  EXPECT_EQ(optimum.evaluations, 1);
  EXPECT_EQ(optimum.value, -kInfinity);
  EXPECT_EQ(optimum.parameters, VectorXd::Ones(2));
}

TEST(Optimise, NothingToChooseCostsOneEvaluation) {
  const Differentiable constant = [](const VectorXd&, VectorXd*) { return 4.0; };
  const Optimum optimum =
      maximise(constant, MatrixXd(0, 0), VectorXd(0), VectorXd(0), VectorXd(0), {10, 1e-9});
  EXPECT_EQ(optimum.value, 4.0);
  EXPECT_EQ(optimum.evaluations, 1);
}

TEST(Optimise, WhatIsNotWorthwhileIsNotBegun) {
  const VectorXd peak = VectorXd::Constant(2, 0.01);  // ½·2·1e-4 to gain
  const MatrixXd C = MatrixXd::Identity(2, 2);
  StopWhen stop{50, 1e-9};
  stop.worthwhile = 1e-3;
  const Optimum stays = maximise(quadratic(C, peak), C, VectorXd::Zero(2), -kWide, kWide, stop);
  EXPECT_EQ(stays.evaluations, 1);
  stop.worthwhile = 1e-5;
  EXPECT_GT(maximise(quadratic(C, peak), C, VectorXd::Zero(2), -kWide, kWide, stop).evaluations, 1);
}

TEST(Optimise, ARaceThatCannotBeWonIsGivenUp) {
  const MatrixXd C = MatrixXd::Identity(2, 2);
  const VectorXd peak = VectorXd::Constant(2, 30.0);
  StopWhen stop{100, 1e-9};
  const int all =
      maximise(quadratic(C, peak), C, VectorXd::Zero(2), -kWide, kWide, stop).evaluations;
  stop.beat = 1e6;
  const Optimum given_up = maximise(quadratic(C, peak), C, VectorXd::Zero(2), -kWide, kWide, stop);
  EXPECT_LT(given_up.evaluations, all);
  EXPECT_GE(given_up.evaluations, 4);
}

}  // namespace splitgp::optimise_test
