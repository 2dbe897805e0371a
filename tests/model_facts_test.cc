// What a model reports about its stream and its local GPs.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;

class ModelFacts : public ::testing::Test {
 protected:
  ModelFacts() {
    Options options;
    options.split_limit = 20;
    options.training = Training::off;
    model_ = SplittingGp(2, 3, options);
    for (Index i = 0; i < kRows; ++i) {
      model_.update(stream_.X.col(i), stream_.Y.col(i), 0.01 * static_cast<double>(i % 2));
    }
  }

  static constexpr Index kRows = 150;
  testing::Stream stream_ = testing::smooth_stream(81, 2, 3, kRows);
  SplittingGp model_{2, 3};
};

TEST_F(ModelFacts, ObservationsAreTheStream) {
  const Observations all = model_.observations();
  EXPECT_EQ(all.inputs, stream_.X);
  EXPECT_EQ(all.outputs, stream_.Y);
  for (Index i = 0; i < kRows; ++i) {
    EXPECT_EQ(all.sequence[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i));
    EXPECT_EQ(all.noise_variance(i), 0.01 * static_cast<double>(i % 2));
  }
}

TEST_F(ModelFacts, EveryObservationIsOwnedByOneLocalGp) {
  std::vector<int> owners(kRows, 0);
  for (const LocalGpSummary& summary : model_.local_gps()) {
    const LocalGpPoints points = model_.points(summary.local_gp);
    ASSERT_EQ(points.inputs.cols(), summary.owned + summary.borrowed);
    for (Index j = 0; j < points.inputs.cols(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      const std::uint64_t sequence = points.sequence[at];
      EXPECT_EQ(points.inputs.col(j), stream_.X.col(static_cast<Index>(sequence)));
      EXPECT_EQ(points.outputs.col(j), stream_.Y.col(static_cast<Index>(sequence)));
      owners[sequence] += points.owned[at] ? 1 : 0;
    }
  }
  EXPECT_EQ(owners, std::vector<int>(kRows, 1));
  EXPECT_THROW(model_.points(-1), InvalidArgument);
  EXPECT_THROW(model_.points(model_.n_local()), InvalidArgument);
}

TEST_F(ModelFacts, StatisticsAreThoseOfTheColumns) {
  const ColumnStatistics inputs = model_.input_statistics();
  const ColumnStatistics outputs = model_.output_statistics();
  EXPECT_TRUE(inputs.mean.isApprox(stream_.X.rowwise().mean(), 1e-12));
  const Eigen::VectorXd spread =
      ((stream_.Y.colwise() - stream_.Y.rowwise().mean()).rowwise().squaredNorm() / kRows)
          .cwiseSqrt();
  EXPECT_TRUE(outputs.spread.isApprox(spread, 1e-12));
}

TEST_F(ModelFacts, ANewModelHasNone) {
  const SplittingGp model(2, 1);
  EXPECT_EQ(model.observations().inputs.cols(), 0);
  EXPECT_EQ(model.input_statistics().spread, Eigen::VectorXd::Zero(2));
  EXPECT_THROW(model.points(0), InvalidArgument);
}

}  // namespace
}  // namespace splitgp
