// Windows, budgets and ages: what is held, and that it is what forgetting by hand would leave.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/api/internals.h"
#include "core/base/bounded_history.h"
#include "splitgp/error.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/fixed_theta.h"
#include "support/invariants.h"
#include "support/same_model.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp::window_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;
using testing::Invariants;
using testing::Stream;

constexpr Index kRows = testing::kSanitized ? 600 : 1500;

Options small() {
  Options options = testing::fixed_theta();
  options.split_limit = 12;
  options.capacity = 36;
  options.hyperparameters.emplace().noise_variance = 0.05;
  return options;
}

std::vector<std::uint64_t> held(const SplittingGp& model) { return model.observations().sequence; }

TEST(Window, HoldsTheLastAsIfTheOthersWereForgottenByHand) {
  Options options = small();
  SplittingGp by_hand(2, 1, options);
  options.window_size = 200;
  SplittingGp model(2, 1, options);
  options.window_size = 0;
  options.max_observations = 200;
  SplittingGp budget(2, 1, options);
  const Stream stream = testing::smooth_stream(3, 2, 1, kRows);
  for (Index i = 0; i < kRows; ++i) {
    by_hand.update(stream.X.col(i), stream.Y.col(i));
    if (i >= 200) by_hand.forget(std::vector{static_cast<std::uint64_t>(i - 200)});
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i));
    ASSERT_EQ(result.record.forgotten.size(), i >= 200 ? 1u : 0u);
    budget.update(stream.X.col(i), stream.Y.col(i));
    ASSERT_EQ(Invariants::violated(model, result), "");
    if (i % 50 != 0) continue;
    ASSERT_EQ(Invariants::violated(model), "");
  }
  EXPECT_EQ(model.n_observations(), 200u);
  EXPECT_EQ(model.n_seen(), static_cast<std::uint64_t>(kRows));
  EXPECT_EQ(held(model).front(), static_cast<std::uint64_t>(kRows - 200));
  testing::expect_same_model(model, by_hand);
  testing::expect_same_model(model, budget);
  const MatrixXd X = stream.X.leftCols(50);
  EXPECT_EQ(model.predict(X).mean, by_hand.predict(X).mean);
  EXPECT_EQ(model.predict(X).mean, budget.predict(X).mean);
}

TEST(Window, PredictThenUpdateIsTwoCalls) {
  Options options = small();
  options.window_size = 100;
  SplittingGp one(2, 1, options);
  SplittingGp two(2, 1, options);
  const Stream stream = testing::smooth_stream(4, 2, 1, 500);
  Prediction before;
  for (Index i = 0; i < 500; ++i) {
    one.predict_then_update(stream.X.col(i), stream.Y.col(i), before);
    ASSERT_EQ(before.mean, two.predict(stream.X.col(i)).mean);
    two.update(stream.X.col(i), stream.Y.col(i));
  }
  testing::expect_same_model(one, two);
  EXPECT_EQ(one.predict(stream.X).mean, two.predict(stream.X).mean);
}

TEST(Window, OfOneObservationWorks) {
  Options options = small();
  options.window_size = 1;
  SplittingGp model(2, 1, options);
  const Stream stream = testing::smooth_stream(5, 2, 1, 20);
  for (Index i = 0; i < 20; ++i) {
    model.update(stream.X.col(i), stream.Y.col(i));
    ASSERT_EQ(model.n_observations(), 1u);
    ASSERT_EQ(Invariants::violated(model), "");
  }
}

// Trainings, surprises and searches go on, and look only at what is held.
TEST(Window, TrainsOnWhatItHolds) {
  Options options = small();
  options.training = Training::inlined;
  options.hyperparameters.reset();
  options.window_size = 60;
  SplittingGp model(2, 1, options);
  const Stream stream = testing::smooth_stream(6, 2, 1, 300);
  for (Index i = 0; i < 300; ++i) model.update(stream.X.col(i), stream.Y.col(i));
  EXPECT_EQ(Invariants::violated(model), "");
  ASSERT_FALSE(model.training_history().empty());
  EXPECT_LE(model.training_history().back().record.local_gps, 60);
  EXPECT_LE(model.training_history().back().observations, 60 * 4);
}

TEST(Budget, KeepsWhatOthersDoNotExplain) {
  Options options = small();
  options.max_observations = 150;
  options.forget = Forget::redundant;
  SplittingGp model(1, 1, options);
  testing::Random random(9);
  // Nine of ten rows are at one place; the others have to keep more than a tenth.
  Index spread_out = 0;
  for (Index i = 0; i < 1500; ++i) {
    const VectorXd x =
        VectorXd::Constant(1, i % 10 == 0 ? random.uniform(2.0, 12.0) : 0.05 * random.normal());
    const UpdateResult result = model.update(x, x.array().sin());
    ASSERT_LE(model.n_observations(), 150u);
    ASSERT_EQ(Invariants::violated(model, result), "");
    if (i % 100 == 0) {
      ASSERT_EQ(Invariants::violated(model), "");
    }
  }
  const Observations kept = model.observations();
  for (Index i = 0; i < kept.inputs.cols(); ++i) spread_out += kept.inputs(0, i) > 1.0 ? 1 : 0;
  EXPECT_GT(spread_out, 75);
}

TEST(Age, ForgetsWhatIsTooOldAFewAtATime) {
  Options options = small();
  options.max_age = 100.0;
  SplittingGp model(2, 1, options);
  const Stream stream = testing::smooth_stream(7, 2, 1, 700);
  double time = 0.0;
  for (Index i = 0; i < 400; ++i) model.update(stream.X.col(i), stream.Y.col(i), 0.0, time += 0.5);
  // Times 100 to 200: those exactly as old as the limit stay.
  EXPECT_EQ(model.n_observations(), 201u);
  time += 1000.0;
  for (Index i = 400; i < 650; ++i) {
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i), 0.0, time);
    ASSERT_LE(result.record.forgotten.size(), Forgotten::kMost);
  }
  EXPECT_EQ(model.n_observations(), 250u);
  EXPECT_EQ(Invariants::violated(model), "");
}

std::string refused(SplittingGp& model, double time) {
  try {
    model.update(VectorXd::Zero(2), VectorXd::Zero(1), 0.0, time);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Age, NeedsTimesThatDoNotDecrease) {
  Options options = small();
  options.max_age = 10.0;
  SplittingGp model(2, 1, options);
  EXPECT_THAT(refused(model, kNoTime), HasSubstr("time of row 0 is missing"));
  EXPECT_EQ(refused(model, 5.0), "");
  EXPECT_EQ(refused(model, 5.0), "");
  EXPECT_THAT(refused(model, 4.0), HasSubstr("must not decrease"));
  EXPECT_EQ(model.n_seen(), 2u);
  EXPECT_THROW(model.update_batch(MatrixXd::Zero(2, 2), MatrixXd::Zero(1, 2), VectorXd(),
                                  VectorXd{{7.0, 6.0}}),
               InvalidArgument);
  EXPECT_THROW(model.update_batch(MatrixXd::Zero(2, 2), MatrixXd::Zero(1, 2)), InvalidArgument);
  EXPECT_EQ(model.n_seen(), 2u);
  options.max_age = -1.0;
  EXPECT_THROW(SplittingGp(2, 1, options), InvalidArgument);
  options.max_age = 0.0;
  options.window_size = -3;
  EXPECT_THROW(SplittingGp(2, 1, options), InvalidArgument);
}

TEST(Window, BoundsItsHistory) {
  Options options = small();
  options.split_limit = 2;
  options.capacity = 2;
  options.window_size = 50;
  SplittingGp model(2, 1, options);
  const Stream stream = testing::smooth_stream(8, 2, 1, 8000);
  for (Index i = 0; i < 8000; ++i) model.update(stream.X.col(i), stream.Y.col(i));
  EXPECT_LT(model.split_history().size(), 2 * kHistory);
  EXPECT_GE(model.split_history().size(), kHistory);
  EXPECT_GT(Internals::of(model).partition.splits_dropped, 0u);
}

}  // namespace
}  // namespace splitgp::window_test
