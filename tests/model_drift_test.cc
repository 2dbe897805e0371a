// Innovations, alarms and outliers of a whole model; core/watch/drift.h alone is in drift_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/api/internals.h"
#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp::model_drift_test {

using Eigen::Index;
using Eigen::VectorXd;
using testing::Random;
using testing::smooth_stream;
using testing::Stream;

constexpr double kNoise = 0.1;

Options quick() {
  Options options;
  options.capacity = 60;
  options.training_observations = 200;
  return options;
}

double truth(const VectorXd& x) { return std::sin(4.0 * x(0)) + std::cos(5.0 * x(1)); }

struct Step {
  Index at = std::numeric_limits<Index>::max();
  double size = 0.0;  // in noise standard deviations, where 0.4 ≤ x(0) < 0.6
};

// Each row's result goes to `each`.
template <typename Each>
void run(SplittingGp& model, std::uint64_t seed, Index rows, const Step& step, const Each& each) {
  Random random(seed);
  VectorXd x(2), y(1);
  for (Index t = 0; t < rows; ++t) {
    x = random.uniform_matrix(2, 1);
    const bool inside = x(0) >= 0.4 && x(0) < 0.6;
    y(0) = truth(x) + kNoise * (random.normal() + (inside && t >= step.at ? step.size : 0.0));
    each(t, x, model.update(x, y));
  }
}

TEST(Innovation, IsTheOwnersOneStepAheadPrediction) {
  Options options = testing::fixed_theta();
  options.capacity = options.split_limit = 100;
  options.calibration = Calibration::none;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(2, 0.5);
  SplittingGp model(2, 10, options);  // more outputs than fit inside an UpdateResult
  const Stream stream = smooth_stream(1, 2, 10, 80);
  for (Index i = 0; i < 80; ++i) {
    const Prediction before = model.predict(stream.X.col(i));
    const double own_noise = i % 2 == 0 ? 0.0 : 0.3;
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i), own_noise);
    ASSERT_EQ(result.innovation.size(), 10u);
    for (Index o = 0; o < 10; ++o) {
      const Innovation& innovation = result.innovation[static_cast<std::size_t>(o)];
      const double variance = before.variance(o, 0) + before.noise_variance(o, 0) + own_noise;
      EXPECT_NEAR(innovation.mean, before.mean(o, 0), 1e-9);
      EXPECT_NEAR(innovation.variance, variance, 1e-9);
      EXPECT_NEAR(innovation.z, (stream.Y(o, i) - before.mean(o, 0)) / std::sqrt(variance), 1e-7);
    }
  }
}

TEST(Innovation, IsCalibrated) {
  SplittingGp model(2, 1, quick());
  double squares = 0.0;
  run(model, 1, 2000, {}, [&](Index t, const VectorXd&, const UpdateResult& result) {
    const Innovation& innovation = result.innovation[0];
    EXPECT_GT(innovation.variance, 0.0);
    if (t >= 1000) squares += innovation.z * innovation.z;
  });
  EXPECT_NEAR(squares / 1000.0, 1.0, 0.15);
  const InnovationStatistics stream = model.innovation_statistics().at(0);
  EXPECT_GT(stream.rows, 1900u);
  EXPECT_GT(stream.mean_square, stream.lower);
  EXPECT_LT(stream.mean_square, stream.upper);
  for (const LocalGpSummary& local : model.local_gps()) ASSERT_EQ(local.innovation.size(), 1u);
}

TEST(Alarms, AStepInOneRegionIsFoundThere) {
  const int seeds = testing::kSanitized ? 1 : 4;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    SplittingGp model(2, 1, quick());
    constexpr Index kChange = testing::kSanitized ? 1000 : 2000;
    Index inside = 0;
    std::optional<Alarm> first;
    run(model, static_cast<std::uint64_t>(seed), kChange + kChange * 3 / 4, {kChange, 2.0},
        [&](Index t, const VectorXd& x, const UpdateResult& result) {
          if (t < kChange) {
            EXPECT_TRUE(result.alarms.empty()) << t;
          }
          if (first) return;
          if (t >= kChange && x(0) >= 0.4 && x(0) < 0.6) ++inside;
          if (!result.alarms.empty()) first = result.alarms.front();
        });
    ASSERT_TRUE(first);
    EXPECT_LE(inside, 300);
    EXPECT_EQ(first->kind, DriftKind::up);
    EXPECT_EQ(first->output, 0);
    EXPECT_GT(first->size, 0.5 * kNoise);
    EXPECT_GT(first->size_in_noise, 0.5);
    EXPECT_LT(first->size_in_noise, 3.0);
    EXPECT_LE(first->change_point, first->sequence);
    EXPECT_GE(first->rows, 5u);
    // The box is mostly where the step is.
    EXPECT_LT(first->lower(0), 0.6);
    EXPECT_GT(first->upper(0), 0.4);
    EXPECT_LT(first->local_gps, model.n_local());
    EXPECT_EQ(model.alarms().size(), model.n_alarms());
    EXPECT_EQ(model.alarms().front().sequence, first->sequence);
  }
}

// Half of the readings of a region are absurd from some row on; before, single ones.
TEST(Outliers, SingleOnesAreRejectedAndSeveralAreNot) {
  Options options = quick();
  options.outliers = Outliers::reject;
  SplittingGp model(2, 1, options);
  run(model, 3, 1500, {},
      [](Index, const VectorXd&, const UpdateResult& result) { EXPECT_FALSE(result.rejected); });
  VectorXd x(2), y(1);
  x << 0.5, 0.5;
  y(0) = truth(x) + 30.0;
  const SplittingGp copy = model;
  const UpdateResult result = model.update(x, y);
  EXPECT_TRUE(result.outlier);
  EXPECT_TRUE(result.rejected);
  EXPECT_GT(result.innovation[0].z, 8.0);
  EXPECT_EQ(model.n_rejected(), 1u);
  EXPECT_EQ(model.n_observations(), copy.n_observations());
  const Stream queries = smooth_stream(9, 2, 1, 50);
  EXPECT_EQ(model.predict(queries.X).mean, copy.predict(queries.X).mean);
  EXPECT_EQ(model.predict(queries.X).variance, copy.predict(queries.X).variance);
  EXPECT_EQ(model.n_alarms(), 0u);

  int rejected = 0;
  for (int i = 0; i < 20; ++i) rejected += model.update(x, y).rejected ? 1 : 0;
  EXPECT_GE(rejected, 2);
  EXPECT_LE(rejected, 5);
  EXPECT_GE(model.n_alarms(), 1u);
}

TEST(Outliers, AreLearnedUnlessTheOptionsSayOtherwise) {
  SplittingGp model(2, 1, quick());
  run(model, 3, 1000, {}, [](Index, const VectorXd&, const UpdateResult&) {});
  VectorXd x(2), y(1);
  x << 0.5, 0.5;
  y(0) = truth(x) + 30.0;
  const UpdateResult result = model.update(x, y);
  EXPECT_TRUE(result.outlier);
  EXPECT_FALSE(result.rejected);
  EXPECT_EQ(model.n_observations(), 1001u);
  EXPECT_EQ(model.n_alarms(), 0u);
}

}  // namespace splitgp::model_drift_test
