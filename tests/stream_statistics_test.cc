// Means and spreads of a stream's columns, which no single reading bends.
#include "core/watch/stream_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/learned.h"
#include "support/random_matrix.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;

constexpr Index kStreamRows = 1000;

VectorXd normal_values(std::uint64_t seed) {
  Random random(seed);
  VectorXd values(kStreamRows);
  for (double& value : values) value = 20.0 + 3.0 * random.normal();
  return values;
}

StreamStatistics statistics_of(const VectorXd& values) {
  StreamStatistics result(1);
  for (const double value : values) result.add(VectorXd::Constant(1, value));
  return result;
}

TEST(StreamStatistics, ArePlainOnesOfOrdinaryValues) {
  const VectorXd values = normal_values(1);
  const StreamStatistics found = statistics_of(values);
  const double mean = values.mean();
  EXPECT_NEAR(found.mean()(0), mean, 1e-12 * mean);
  EXPECT_NEAR(found.spread()(0), std::sqrt((values.array() - mean).square().mean()), 1e-12 * mean);
}

TEST(StreamStatistics, AreNotBentByOneReading) {
  for (const Index row : {3, 10, 100, 900}) {
    VectorXd values = normal_values(2);
    const StreamStatistics before = statistics_of(values);
    values(row) = 1e6;
    const StreamStatistics after = statistics_of(values);
    // As far as a bounded share of one row in a thousand goes.
    EXPECT_NEAR(after.mean()(0), before.mean()(0), 0.5) << row;
    EXPECT_LT(after.spread()(0), 2.5 * before.spread()(0)) << row;
  }
}

TEST(StreamStatistics, FollowAColumnThatReallyMoves) {
  VectorXd values = normal_values(3);
  values.tail(kStreamRows / 2).array() += 1000.0;
  const StreamStatistics found = statistics_of(values);
  EXPECT_GT(found.mean()(0), 300.0);
  EXPECT_GT(found.spread()(0), 300.0);
}

TEST(StreamStatistics, ConstantColumnTakesItsFirstOtherValueWhole) {
  VectorXd values = VectorXd::Constant(kStreamRows, 7.0);
  EXPECT_EQ(statistics_of(values).spread()(0), 0.0);
  values(500) = 8.0;
  const StreamStatistics found = statistics_of(values);
  EXPECT_NEAR(found.mean()(0), 7.001, 1e-9);
  EXPECT_NEAR(found.spread()(0), std::sqrt(0.001 * 0.999), 1e-9);
}

// What the reading leaves behind: neither answers nor what inputs are worth are others than without
// it.
TEST(StreamStatistics, RowsAfterOneReadingAreAnsweredAsWithoutIt) {
  testing::Stream stream = testing::noisy(2, 300, 0.05, 4, testing::wave);
  const testing::Stream test = testing::noisy(2, 100, 0.0, 5, testing::wave);
  const SplittingGp before = testing::learned(stream);
  stream.X(1, 150) = 1e6;
  const SplittingGp after = testing::learned(stream);
  EXPECT_LT(testing::rmse(after, test), 1.3 * testing::rmse(before, test));
  const auto share_of_second = [](const SplittingGp& model) {
    const VectorXd worth =
        model.input_statistics().spread.cwiseQuotient(model.hyperparameters().length_scale);
    return worth(1) / worth.sum();
  };
  EXPECT_NEAR(share_of_second(after), share_of_second(before), 0.1);
}

}  // namespace
}  // namespace splitgp
