// on_drift = forget: what an alarm makes a model forget, and what it keeps.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/invariants.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"

namespace splitgp::on_drift_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kNoise = 0.1;
constexpr Index kChange = testing::kSanitized ? 1500 : 2000;
constexpr Index kAfter = testing::kSanitized ? 800 : 1000;

bool inside(const VectorXd& x) { return x(0) >= 0.4 && x(0) < 0.6; }

double truth(const VectorXd& x, Index row) {
  const double step = inside(x) && row >= kChange ? 10.0 * kNoise : 0.0;
  return std::sin(4.0 * x(0)) + std::cos(5.0 * x(1)) + step;
}

// Squared errors against the truth in the rows after the change.
struct Errors {
  double inside = 0.0;
  double outside = 0.0;
};

Errors run(SplittingGp& model, std::uint64_t seed) {
  testing::Random random(seed);
  Errors errors;
  VectorXd x(2), y(1);
  Prediction before;
  for (Index row = 0; row < kChange + kAfter; ++row) {
    x = random.uniform_matrix(2, 1);
    y(0) = truth(x, row) + kNoise * random.normal();
    model.predict_then_update(x, y, before);
    if (row < kChange) continue;
    const double error = before.mean(0, 0) - truth(x, row);
    (inside(x) ? errors.inside : errors.outside) += error * error;
  }
  return errors;
}

SplittingGp model_with(OnDrift reaction) {
  Options options;
  options.capacity = 60;
  options.training_observations = testing::kSanitized ? 100 : 200;
  if (testing::kSanitized) options.kernel = KernelFamily::rbf;  // instead of all in turn
  options.on_drift = reaction;
  return SplittingGp(2, 1, options);
}

TEST(OnDrift, TheRegionThatChangedForgetsWhatIsOlder) {
  const std::uint64_t seeds = testing::kSanitized ? 1 : 3;
  Errors kept, forgot;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SplittingGp keeps = model_with(OnDrift::report);
    SplittingGp forgets = model_with(OnDrift::forget);
    const Errors with = run(keeps, seed), without = run(forgets, seed);
    kept = {kept.inside + with.inside, kept.outside + with.outside};
    forgot = {forgot.inside + without.inside, forgot.outside + without.outside};

    EXPECT_EQ(keeps.n_observations(), keeps.n_seen());
    EXPECT_EQ(testing::Invariants::violated(forgets), "");
    std::uint64_t forgotten = 0;
    for (const Alarm& alarm : forgets.alarms()) forgotten += alarm.forgotten;
    EXPECT_GT(forgotten, 0u);
    EXPECT_EQ(forgets.n_observations() + forgotten, forgets.n_seen());

    // Most of what is older than the change is gone in the region, and most of it is there
    // elsewhere.
    const Observations held = forgets.observations();
    Index old_inside = 0, old_outside = 0;
    for (Index i = 0; i < held.inputs.cols(); ++i) {
      if (held.sequence[static_cast<std::size_t>(i)] >= kChange) continue;
      ++(inside(held.inputs.col(i)) ? old_inside : old_outside);
    }
    EXPECT_LT(old_inside, 0.4 * 0.2 * kChange);
    EXPECT_GT(old_outside, 0.7 * 0.8 * kChange);
  }
  EXPECT_LT(std::sqrt(forgot.inside), 0.75 * std::sqrt(kept.inside));
}

}  // namespace
}  // namespace splitgp::on_drift_test
