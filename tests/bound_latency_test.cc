// A model that is reserved for a control loop: it knows what any other knows, and no update does
// more than a stated amount of work.
#include "core/model/bound_latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/api/internals.h"
#include "core/base/operations.h"
#include "splitgp/splitting_gp.h"
#include "support/invariants.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp::bound_latency_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

Options loop_options() {
  Options options;
  options.capacity = 60;
  options.training = Training::off;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(3, 0.7);
  options.max_observations = 600;
  return options;
}

TEST(Reserve, SaysWhatLeavesAModelWithoutBound) {
  const auto error = [](Options options, Index inputs = 3) -> std::string {
    SplittingGp model(inputs, 1, options);
    try {
      model.bound_latency();
    } catch (const InvalidArgument& caught) {
      EXPECT_FALSE(model.latency_is_bounded());
      return caught.what();
    }
    return "";
  };
  using ::testing::HasSubstr;
  Options options = loop_options();
  EXPECT_EQ(error(options), "");
  options.max_observations = 0;
  EXPECT_THAT(error(options), HasSubstr("max_observations and window_size are 0"));
  options.window_size = 100;
  EXPECT_EQ(error(options), "");
  options.training = Training::inlined;
  EXPECT_THAT(error(options), HasSubstr("training is inline"));
  options = loop_options();
  options.neighbors = 0;
  EXPECT_THAT(error(options), HasSubstr("neighbors is 0"));
  options = loop_options();
  options.max_age = 5.0;
  EXPECT_THAT(error(options), HasSubstr("max_age is 5"));
  options = loop_options();
  options.on_drift = OnDrift::forget;
  EXPECT_THAT(error(options), HasSubstr("on_drift is forget"));
  options = loop_options();
  options.comparison.inherit = false;
  EXPECT_THAT(error(options), HasSubstr("inherit is off"));
  options = loop_options();
  options.hyperparameters.reset();
  EXPECT_THAT(error(options, 49), HasSubstr("49 inputs"));

  SplittingGp model(3, 1, loop_options());
  model.bound_latency();
  EXPECT_THROW(model.set_factor_cache_limit(3), InvalidArgument);
  EXPECT_FALSE(SplittingGp(model).latency_is_bounded());
}

// While θ stays, a reserved model differs from any other only where it merges and forgets in steps.
TEST(Reserve, LearnsTheSameBeforeAnythingIsForgotten) {
  const testing::Stream stream = testing::smooth_stream(3, 3, 2, 590);
  Options options = loop_options();
  SplittingGp plain(3, 2, options), reserved(3, 2, options);
  reserved.bound_latency();
  UpdateResult result;
  for (Index i = 0; i < stream.X.cols(); ++i) {
    plain.update(stream.X.col(i), stream.Y.col(i));
    reserved.update(stream.X.col(i), stream.Y.col(i), result);
  }
  ASSERT_GT(plain.n_local(), 10);
  EXPECT_EQ(plain.n_local(), reserved.n_local());
  const Prediction expected = plain.predict(stream.X);
  const Prediction answer = reserved.predict(stream.X);
  // The principal direction rounds differently, which may move a point across a cut, but did not.
  EXPECT_LT((expected.mean - answer.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((expected.variance - answer.variance).cwiseAbs().maxCoeff(), 1e-9);
}

class ReservedStream : public ::testing::TestWithParam<Forget> {};

TEST_P(ReservedStream, DoesABoundedAmountOfWorkAndStaysWhole) {
  const Index rows = testing::kSanitized ? 1500 : 6000;
  const testing::Stream stream = testing::smooth_stream(4, 3, 2, rows);
  Options options = loop_options();
  options.forget = GetParam();
  SplittingGp model(3, 2, options);
  model.bound_latency();
  const std::size_t memory = model.memory_bytes();
  UpdateResult result;
  std::uint64_t most = 0;
  double sum = 0.0;
  long splits = 0, refits = 0;
  Index local_gps = 0;
  for (Index i = 0; i < rows; ++i) {
    if (i % 700 == 650) {  // a new θ, which has to reach all of them
      Hyperparameters theta = model.hyperparameters();
      theta.length_scale *= i % 1400 == 650 ? 1.2 : 1.0 / 1.2;
      model.set_hyperparameters(theta);
    }
    // Places that it leaves, and comes back to: cells empty, and are merged.
    VectorXd x = stream.X.col(i);
    x(0) = 0.4 * x(0) + std::sin(0.003 * static_cast<double>(i));
    model.update(x, stream.Y.col(i), result);
    most = std::max(most, result.record.operations);
    sum += static_cast<double>(result.record.operations);
    splits += result.record.new_local_gp ? 1 : 0;
    refits += result.record.renewed ? 1 : 0;
    local_gps = std::max(local_gps, model.n_local());
    if (i % 250 == 0) {
      ASSERT_EQ(testing::Invariants::violated(model), "") << "row " << i;
    }
    ASSERT_LE(model.n_observations(), 603u);
  }
  EXPECT_EQ(testing::Invariants::violated(model), "");
  EXPECT_GT(splits, rows / 100);
  EXPECT_GT(refits, rows / 100);
  EXPECT_LE(most, model.most_operations());
  // The bound is no empty promise: within a few times what happened.
  EXPECT_GT(5 * most, model.most_operations());
  EXPECT_LE(local_gps, n_reserved(model.options()));
  EXPECT_EQ(model.memory_bytes(), memory);
  RecordProperty("most", std::to_string(most));
  RecordProperty("mean", std::to_string(sum / static_cast<double>(rows)));
}

INSTANTIATE_TEST_SUITE_P(Reserve, ReservedStream,
                         ::testing::Values(Forget::oldest, Forget::redundant),
                         [](const auto& named) { return std::string(to_string(named.param)); });

// A renewal in steps ends with the factor that a refit at once would have.
TEST(Reserve, ANewThetaReachesEveryLocalGp) {
  const testing::Stream stream = testing::smooth_stream(5, 3, 1, 1200);
  SplittingGp model(3, 1, loop_options());
  model.bound_latency();
  UpdateResult result;
  for (Index i = 0; i < 600; ++i) model.update(stream.X.col(i), stream.Y.col(i), result);
  Hyperparameters theta = model.hyperparameters();
  theta.length_scale *= 1.5;
  model.set_hyperparameters(theta);
  Index i = 600;
  const ModelState& state = Internals::of(model);
  const auto behind = [&] {
    return std::count_if(
        state.partition.local_gps.begin(), state.partition.local_gps.end(),
        [&](const LocalGp& local) { return local.theta().version != model.theta_version(); });
  };
  EXPECT_GT(behind(), 10);
  for (; i < 1200 && behind() > 0; ++i) model.update(stream.X.col(i), stream.Y.col(i), result);
  EXPECT_EQ(behind(), 0);
  SplittingGp at_once(model);
  for (LocalGp& local : Internals::of(at_once).partition.local_gps)
    local.refit(Internals::of(at_once).knowledge.theta);
  EXPECT_LT((at_once.predict(stream.X).mean - model.predict(stream.X).mean).cwiseAbs().maxCoeff(),
            1e-8);
}

}  // namespace
}  // namespace splitgp::bound_latency_test
