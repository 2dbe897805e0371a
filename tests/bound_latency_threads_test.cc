// Training beside a control loop that is reserved.
#include <gtest/gtest.h>

#include <thread>

#include "core/api/internals.h"
#include "splitgp/splitting_gp.h"
#include "support/invariants.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp::bound_latency_threads_test {
namespace {

using Eigen::Index;

Options loop_options() {
  Options options;
  options.capacity = 60;
  options.training = Training::background;
  options.training_observations = testing::kSanitized ? 150 : 300;
  options.max_observations = 400;
  if (testing::kSanitized) options.kernel = KernelFamily::rbf;  // instead of all in turn
  return options;
}

TEST(LoopTrainer, TrainsWhileTheLoopGoesOn) {
  const testing::Stream stream = testing::smooth_stream(6, 2, 2, testing::kSanitized ? 500 : 900);
  SplittingGp model(2, 2, loop_options());
  model.bound_latency();
  UpdateResult result;
  PredictionGradient prediction;
  for (Index i = 0; i < stream.X.cols(); ++i) {
    model.update(stream.X.col(i), stream.Y.col(i), result);
    model.predict_gradient(stream.X.col(i), prediction);
    // Leaves the other thread some time, so that several trainings end during the loop.
    if (i % 50 == 0) model.finish_training();
  }
  model.finish_training();
  EXPECT_EQ(testing::Invariants::violated(model), "");
  ASSERT_GE(model.training_history().size(), 3u);
  EXPECT_GT(model.theta_version(), 3u);
  const TrainResult& last = model.training_history().back();
  EXPECT_GT(last.observations, 100);
  EXPECT_NEAR(last.theta.noise_variance / last.theta.signal_variance, 0.01 / 0.5, 0.05);
  for (Index i = 0; i < 100; ++i) {
    model.update(stream.X.col(i), stream.Y.col(i), result);
  }
  const double error =
      (model.predict(stream.X.rightCols(100)).mean - stream.Y.rightCols(100)).norm() /
      std::sqrt(200.0);
  EXPECT_LT(error, 0.2);  // the noise is 0.1
}

// It may be destroyed, or copied, at any moment.
TEST(LoopTrainer, CanBeLeftAtAnyMoment) {
  const testing::Stream stream = testing::smooth_stream(7, 2, 1, 60);
  for (Index rows = 30; rows < 60; rows += 5) {
    SplittingGp model(2, 1, loop_options());
    model.bound_latency();
    UpdateResult result;
    for (Index i = 0; i < rows; ++i) model.update(stream.X.col(i), stream.Y.col(i), result);
    SplittingGp copy(model);
    EXPECT_FALSE(copy.latency_is_bounded());
    copy.update(stream.X.col(rows), stream.Y.col(rows));
    EXPECT_EQ(testing::Invariants::violated(copy), "");
  }
}

}  // namespace
}  // namespace splitgp::bound_latency_threads_test
