#include "core/train/raise_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/train/objective.h"
#include "support/training.h"

namespace splitgp::raise_noise_test {
namespace {

using Eigen::VectorXd;

// Where the likelihood is best without noise, on outputs that may have some.
struct Trained {
  explicit Trained(double noise) : set(testing::small_training_set(2, 1, 3)) {
    for (TrainingSet::Block& block : set.blocks) {
      const VectorXd smooth = (block.inputs.col(0).array() / 6.0 - 1013.0 / 6.0).sin();
      block.outputs.col(0) = 5.0 + smooth.array() + noise * block.outputs.col(0).array();
      block.noise_variance.setZero();
    }
    plan.kernel = KernelFamily::rbf;
    plan.current.kernel = KernelFamily::rbf;
    plan.current.length_scale = VectorXd{{6.0, 30.0}};
    plan.current.signal_variance = 1.0;
    plan.current.noise_variance = 1e-9;
    plan.current.mean = VectorXd::Constant(1, 5.0);
    plan.current.output_scale = VectorXd::Ones(1);
    TrainResult result;
    winner = {KernelFamily::rbf, plan.current};
    optimise(set, plan, nullptr, {50, 1e-6}, winner, result);
  }
  double allowed() const { return 3.0 / static_cast<double>(set.observations); }
  double share(const Hyperparameters& theta) const {
    return Objective(set, theta.kernel, theta, plan.fixed).noise_share(theta);
  }

  TrainingSet set;
  TrainingPlan plan;
  Contender winner{KernelFamily::rbf, {}};
};

TEST(RaiseNoise, CostsNoMoreThanIsAllowedAndSaysWhatItCosts) {
  for (const double noise : {0.0, 1e-4, 1e-3}) {
    const Trained before(noise);
    ASSERT_LT(before.share(before.winner.theta), 1e-4) << noise;
    Trained after = before;
    raise_noise(after.set, after.plan, after.winner);
    EXPECT_GT(after.winner.theta.noise_variance, before.winner.theta.noise_variance) << noise;
    EXPECT_GE(after.winner.value, before.winner.value - after.allowed()) << noise;
    EXPECT_NEAR(after.winner.value, value_of(after.set, after.plan, after.winner.theta), 1e-9);
    const double share = after.share(after.winner.theta);
    EXPECT_LE(share, 1e-3 * (1.0 + 1e-9)) << noise;
    // No further than it went by much: three times the step more would cost too much.
    if (share > 0.999e-3) continue;
    const double raised =
        std::log(after.winner.theta.noise_variance / before.winner.theta.noise_variance);
    Hyperparameters beyond = before.winner.theta;
    beyond.noise_variance *= std::exp(3.0 * raised);
    EXPECT_LT(value_of(after.set, after.plan, beyond), before.winner.value - after.allowed());
  }
}

TEST(RaiseNoise, LeavesNoiseAloneThatIsFixedOrShown) {
  for (const bool fixed : {true, false}) {
    Trained trained(0.0);
    trained.plan.fixed.noise_variance = fixed;
    if (!fixed) trained.winner.theta.noise_variance = 0.1;
    const double noise = trained.winner.theta.noise_variance;
    raise_noise(trained.set, trained.plan, trained.winner);
    EXPECT_EQ(trained.winner.theta.noise_variance, noise);
  }
}

}  // namespace
}  // namespace splitgp::raise_noise_test
