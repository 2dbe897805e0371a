#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "core/train/training_thread.h"
#include "splitgp/splitting_gp.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp {
namespace {

Options background(int split_limit) {
  Options options;
  options.training = Training::background;
  options.split_limit = split_limit;
  options.kernel = KernelFamily::rbf;
  return options;
}

TEST(BackgroundTraining, LearnsThetaWhileTheStreamGoesOn) {
  const testing::Stream stream = testing::smooth_stream(1, 2, 1, 400);
  SplittingGp model(2, 1, background(50));
  model.update_batch(stream.X, stream.Y);
  model.finish_training();
  ASSERT_FALSE(model.training_history().empty());
  EXPECT_GT(model.theta_version(), 0u);
  EXPECT_LT(model.hyperparameters().noise_variance, 0.1);  // 0.01 is true, 1 would be "all noise"
}

TEST(BackgroundTraining, PredictionsFromOtherThreadsWhileItTrains) {
  const testing::Stream stream = testing::smooth_stream(2, 2, 1, 200);
  SplittingGp model(2, 1, background(40));
  model.update_batch(stream.X, stream.Y);  // a training is running now, or has just ended
  const Prediction expected = model.predict(stream.X);
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&] { EXPECT_EQ(model.predict(stream.X).mean, expected.mean); });
    }
  }
  model.finish_training();
}

TEST(BackgroundTraining, DestroyingTheModelEndsTheThread) {
  for (int i = 0; i < 5; ++i) {
    const testing::Stream stream = testing::smooth_stream(3, 2, 1, 40);
    SplittingGp model(2, 1, background(20));
    model.update_batch(stream.X, stream.Y);
  }
}

TEST(BackgroundTraining, ACopyGoesOnByItself) {
  const testing::Stream stream = testing::smooth_stream(4, 2, 1, 150);
  SplittingGp model(2, 1, background(40));
  model.update_batch(stream.X.leftCols(50), stream.Y.leftCols(50));
  SplittingGp copy = model;
  copy.update_batch(stream.X.rightCols(100), stream.Y.rightCols(100));
  copy.finish_training();
  model.finish_training();
  EXPECT_EQ(model.n_observations(), 50u);
  EXPECT_EQ(copy.n_observations(), 150u);
}

TEST(BackgroundTraining, UpdateDoesNotWait) {
  // Trainings of 800 observations take far longer than the slowest update may; of 250 too, where a
  // sanitizer makes them slower.
  const Eigen::Index observations = testing::kSanitized ? 300 : 900;
  const testing::Stream stream = testing::smooth_stream(5, 6, 1, observations);
  SplittingGp model(6, 1, background(400));
  double slowest = 0.0;
  for (Eigen::Index i = 0; i < stream.X.cols(); ++i) {
    const auto began = std::chrono::steady_clock::now();
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (!result.record.renewed) slowest = std::max(slowest, took.count());
  }
  model.finish_training();
  double longest_training = 0.0;
  for (const TrainResult& result : model.training_history()) {
    longest_training = std::max(longest_training, result.seconds);
  }
  RecordProperty("slowest_update_s", std::to_string(slowest));
  RecordProperty("longest_training_s", std::to_string(longest_training));
  EXPECT_LT(slowest, longest_training);
}

TEST(TrainingThread, TakesOneJobAtATime) {
  int done = 0;
  TrainingThread thread([&] { ++done; });
  EXPECT_FALSE(thread.take());
  thread.wait();
  EXPECT_FALSE(thread.take());
  EXPECT_TRUE(thread.start());
  EXPECT_FALSE(thread.start());
  thread.wait();
  EXPECT_FALSE(thread.start());
  EXPECT_TRUE(thread.take());
  EXPECT_TRUE(thread.is_idle());
  EXPECT_EQ(done, 1);
  EXPECT_TRUE(thread.start());
}

}  // namespace
}  // namespace splitgp
