// In the steady state one thread's updates and predictions allocate nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "splitgp/splitting_gp.h"
#include "support/own_malloc.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using testing::allocations;
using testing::counting;

class SteadyState : public ::testing::TestWithParam<Aggregation> {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the address sanitizer has its own malloc; the release build counts";
#endif
  }
};

TEST_P(SteadyState, UpdatesAndPredictionsAllocateNothing) {
  Options options;
  options.split_limit = 50;
  options.training = Training::off;
  options.comparison.aggregation = GetParam();
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(3, 0.5);
  const testing::Stream stream = testing::smooth_stream(1, 3, 2, 4000);
  SplittingGp model(3, 2, options);
  Prediction prediction;
  PredictionGradient gradient;
  long updates = 0;
  long splits = 0;
  for (Index i = 0; i < stream.X.cols(); ++i) {
    const bool warm = i >= 1000;
    allocations = 0;
    counting = warm;
    model.predict(stream.X.col(i), prediction);
    model.predict_gradient(stream.X.col(i), gradient);
    EXPECT_EQ(allocations, 0) << "prediction " << i;
    allocations = 0;
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i));
    counting = false;
    if (result.record.new_local_gp) {
      ++splits;  // a split creates a local GP, which needs memory
      if (warm) {
        EXPECT_GT(allocations, 0) << "nothing is counted";
      }
    } else if (warm) {
      EXPECT_EQ(allocations, 0) << "update " << i;
      ++updates;
    }
  }
  EXPECT_GT(updates, 2800);
  EXPECT_GT(splits, 50);
}

// Splits and merges make and unmake local GPs; everything else about forgetting is in place.
TEST(SteadyStateOfAWindow, UpdatesAllocateNothing) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer has its own malloc; the release build counts";
#endif
  for (const Forget forget : {Forget::oldest, Forget::redundant}) {
    Options options;
    options.split_limit = 50;
    options.training = Training::off;
    options.hyperparameters.emplace().length_scale = VectorXd::Constant(3, 0.5);
    options.max_observations = 1000;
    options.forget = forget;
    options.max_age = 5000.0;
    const testing::Stream stream = testing::smooth_stream(1, 3, 2, 11000);
    SplittingGp model(3, 2, options);
    long updates = 0;
    long without = 0;
    for (Index i = 0; i < stream.X.cols(); ++i) {
      const Index local_gps = model.n_local();
      allocations = 0;
      counting = i >= 9000;
      const UpdateResult result =
          model.update(stream.X.col(i), stream.Y.col(i), 0.0, static_cast<double>(i));
      counting = false;
      if (i < 9000 || result.record.new_local_gp || model.n_local() != local_gps) continue;
      EXPECT_EQ(result.record.forgotten.size(), 1u);
      ++updates;
      without += allocations == 0 ? 1 : 0;
    }
    // A local GP grows to its capacity, and a table of holders to its size, now and then.
    EXPECT_GT(updates, 1500) << to_string(forget);
    EXPECT_GT(without, updates - updates / 20) << to_string(forget);
  }
}

// Of a reserved model nothing at all, from the first row on: not to grow, split, merge and forget,
// not to hand a training over and adopt its θ, not to raise an alarm.
TEST(Reserved, AllocatesNothingEver) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer has its own malloc; the release build counts";
#endif
  for (const Training training : {Training::off, Training::background}) {
    for (const Forget forget : {Forget::oldest, Forget::redundant}) {
      Options options;
      options.capacity = 60;
      options.training = training;
      options.training_observations = 300;
      options.max_observations = 600;
      options.forget = forget;
      const testing::Stream stream = testing::smooth_stream(1, 3, 2, 4000);
      SplittingGp model(3, 2, options);
      model.bound_latency();
      UpdateResult result;
      PredictionGradient prediction;
      model.predict_gradient(stream.X.col(0), prediction);
      model.update(stream.X.col(0), stream.Y.col(0), result);
      long splits = 0, merges = 0, alarms = 0, refits = 0;
      for (Index i = 1; i < stream.X.cols(); ++i) {
        VectorXd x = stream.X.col(i), y = stream.Y.col(i);
        x(0) = 0.4 * x(0) + std::sin(0.003 * static_cast<double>(i));
        if (i > 3000) y.array() += 3.0;  // the world changes
        // Let the trainings end in time, whatever else the machine does.
        if (i % 200 == 0) model.finish_training();
        const Index before = model.n_local();
        allocations = 0;
        counting = true;
        model.predict_gradient(x, prediction);
        model.update(x, y, result);
        counting = false;
        EXPECT_EQ(allocations, 0) << "row " << i << " of " << to_string(training)
                                  << (result.record.new_local_gp ? ", split" : "")
                                  << (result.trained ? ", trained" : "")
                                  << (result.alarms.empty() ? "" : ", alarm");
        splits += result.record.new_local_gp ? 1 : 0;
        merges += model.n_local() < before ? 1 : 0;
        alarms += std::ssize(result.alarms);
        refits += result.record.renewed ? 1 : 0;
      }
      EXPECT_GT(splits, 100);
      EXPECT_GT(merges, 10);
      EXPECT_GT(alarms, 0);
      if (training == Training::off) continue;
      EXPECT_GT(model.training_history().size(), 5u);
      EXPECT_GT(refits, 50);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(NoAllocation, SteadyState,
                         ::testing::Values(Aggregation::evidence, Aggregation::similarity,
                                           Aggregation::nearest));

}  // namespace
}  // namespace splitgp
