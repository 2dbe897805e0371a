#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/model/model_state.h"
#include "rivals/rivals.h"
#include "rivals/training_draw.h"
#include "splitgp/splitting_gp.h"
#include "support/rival.h"
#include "support/streams.h"

namespace splitgp::rivals {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using splitgp::testing::smooth_stream;
using splitgp::testing::Stream;
using ::testing::HasSubstr;

// One of each, with options of their own that suit small streams.
using Make = std::function<std::unique_ptr<Regressor>(const CommonOptions&)>;
const std::vector<Make>& every_rival() {
  static const std::vector<Make> all{
      [](const CommonOptions& o) { return std::make_unique<FullGp>(2, 1, o); },
      [](const CommonOptions& o) {
        return std::make_unique<RobustBcm>(2, 1, RobustBcmOptions{o, 3, Combination::rbcm});
      },
      [](const CommonOptions& o) {
        return std::make_unique<LocalGpRegression>(2, 1, LocalGpRegressionOptions{o, 0.1, 4, 0});
      },
      [](const CommonOptions& o) {
        return std::make_unique<LocallyGrowingGp>(
            2, 1, LocallyGrowingGpOptions{o, 40, 0.05, LeafCombination::gpoe});
      }};
  return all;
}

CommonOptions rbf() {
  CommonOptions options;
  options.kernel = KernelFamily::rbf;
  return options;
}

TEST(Rivals, TrainAtTheSameMomentsAsSplittingGp) {
  const Stream stream = smooth_stream(1, 2, 1, 120);
  Options options;
  options.kernel = KernelFamily::rbf;
  SplittingGp splitting(2, 1, options);
  splitting.update_batch(stream.X, stream.Y);
  for (const Make& make : every_rival()) {
    const std::unique_ptr<Regressor> gp = make(rbf());
    gp->update_batch(stream.X, stream.Y);
    ASSERT_EQ(gp->training_history().size(), splitting.training_history().size());
    for (std::size_t i = 0; i < gp->training_history().size(); ++i) {
      EXPECT_EQ(gp->training_history()[i].sequence, splitting.training_history()[i].sequence);
      EXPECT_EQ(gp->training_history()[i].record.searched,
                splitting.training_history()[i].record.searched);
    }
    const VectorXd truth = smooth_stream(1, 2, 1, 120).Y.row(0);
    const VectorXd error = gp->predict(stream.X).mean.row(0).transpose() - truth;
    EXPECT_LT(std::sqrt(error.squaredNorm() / 120.0), 0.15);  // the noise is 0.1
  }
}

TEST(Rivals, RowsAndBatchesTrainAlike) {
  const Stream stream = smooth_stream(2, 2, 1, 110);
  for (const Make& make : every_rival()) {
    const std::unique_ptr<Regressor> batch = make(rbf());
    const std::unique_ptr<Regressor> rows = make(rbf());
    batch->update_batch(stream.X, stream.Y);
    for (Index i = 0; i < 110; ++i) rows->update(stream.X.col(i), stream.Y.col(i));
    EXPECT_EQ(batch->n_local(), rows->n_local());
    EXPECT_EQ(batch->theta_version(), rows->theta_version());
    EXPECT_LT((batch->predict(stream.X).mean - rows->predict(stream.X).mean).cwiseAbs().maxCoeff(),
              1e-6);
  }
}

TEST(Rivals, RejectWhatIsWrongAndStayAsTheyWere) {
  const Stream stream = smooth_stream(3, 2, 1, 20);
  for (const Make& make : every_rival()) {
    const std::unique_ptr<Regressor> gp = make(rbf());
    EXPECT_EQ(gp->n_local(), 0);
    EXPECT_EQ(gp->predict(stream.X).mean.norm(), 0.0);
    gp->update_batch(stream.X, stream.Y);
    const MatrixXd before = gp->predict(stream.X).mean;
    MatrixXd bad = stream.X;
    bad(1, 7) = std::numeric_limits<double>::quiet_NaN();
    try {
      gp->update_batch(bad, stream.Y);
      FAIL();
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr("x[1] of row 7 is nan"));
    }
    EXPECT_THROW(gp->update_batch(stream.X, stream.Y.leftCols(3)), InvalidArgument);
    EXPECT_THROW(gp->update(stream.X.col(0), stream.Y.col(0), -1.0), InvalidArgument);
    EXPECT_THROW(gp->predict(MatrixXd::Zero(3, 1)), InvalidArgument);
    Hyperparameters theta;
    theta.signal_variance = -1.0;
    EXPECT_THROW(gp->set_hyperparameters(theta), InvalidArgument);
    EXPECT_EQ(gp->n_observations(), 20U);
    EXPECT_EQ((gp->predict(stream.X).mean - before).norm(), 0.0);
    CommonOptions background;
    background.training = Training::background;
    EXPECT_THROW(make(background), InvalidArgument);
  }
  EXPECT_THROW(RobustBcm(1, 1, {{}, 0, Combination::rbcm}), InvalidArgument);
  EXPECT_THROW(LocalGpRegression(1, 1, {{}, 1.0, 8, 0}), InvalidArgument);
  EXPECT_THROW(LocalGpRegression(1, 1, {{}, 0.5, -1, 0}), InvalidArgument);
  EXPECT_THROW(LocallyGrowingGp(1, 1, {{}, 1, 0.1, LeafCombination::gpoe}), InvalidArgument);
  EXPECT_THROW(LocallyGrowingGp(1, 1, {{}, 10, -0.1, LeafCombination::gpoe}), InvalidArgument);
  EXPECT_THROW(FullGp(0, 1), InvalidArgument);
  EXPECT_THROW(parse_combination("combination", "vote"), InvalidArgument);
}

TEST(Rivals, MemoryCountsTheObservationsAtLeast) {
  const Stream stream = smooth_stream(4, 2, 1, 100);
  for (const Make& make : every_rival()) {
    CommonOptions off;
    off.training = Training::off;
    const std::unique_ptr<Regressor> gp = make(off);
    const std::size_t empty = gp->memory_bytes();
    gp->update_batch(stream.X, stream.Y);
    EXPECT_GT(gp->memory_bytes(), empty + 100 * 3 * sizeof(double));
  }
}

// A part of n observations at random places, cheap to make: the factor is not needed here.
ExactGp part_of(Index n, double offset, const ThetaPointer& theta) {
  Stream stream = smooth_stream(5, 2, 1, n);
  stream.X.array() += offset;
  ExactGp part(2, 1, theta);
  part.append({stream.X, stream.Y, VectorXd::Zero(n),
               std::vector<std::uint64_t>(static_cast<std::size_t>(n))});
  return part;
}

RivalState state_after(Index n) {
  Options options;
  Hyperparameters theta;
  theta.length_scale = VectorXd::Ones(2);
  theta.mean = VectorXd::Zero(1);
  theta.output_scale = VectorXd::Ones(1);
  options.hyperparameters = theta;
  RivalState state{options, StreamHistory(2, 1, theta, true)};
  state.knowledge.observations = static_cast<std::uint64_t>(n);
  return state;
}

double cost(const TrainingSet& set) {
  double sum = 0.0;
  for (const TrainingSet::Block& block : set.blocks) {
    sum += std::pow(static_cast<double>(block.inputs.rows()), 3);
  }
  return sum;
}

TEST(TrainingDraw, SharesAreBlocksOfTheirOwnWithinTheBounds) {
  const RivalState state = state_after(1200);
  const ExactGp small = part_of(50, 0.0, state.knowledge.theta);
  const TrainingSet three = draw_from_shares(state, {&small, &small, &small});
  EXPECT_EQ(three.blocks.size(), 3U);
  EXPECT_EQ(three.observations, 150);
  const ExactGp large = part_of(1200, 0.0, state.knowledge.theta);
  const TrainingSet one = draw_from_shares(state, {&large});
  EXPECT_EQ(one.blocks.size(), 1U);
  EXPECT_EQ(one.observations, 1000);
  EXPECT_LE(cost(one), 1e9);
  const TrainingSet many = draw_from_shares(state, std::vector<const ExactGp*>(20, &large));
  EXPECT_EQ(many.blocks.size(), 7U);
  EXPECT_EQ(many.observations, 7 * 400);
  EXPECT_LE(cost(many), 1e9);
}

TEST(TrainingDraw, RegionsAreDrawnByCoreAndLargeOnesThinned) {
  const RivalState state = state_after(1300);
  const ExactGp large = part_of(1200, 0.0, state.knowledge.theta);
  const ExactGp other = part_of(100, 5.0, state.knowledge.theta);
  const TrainingSet set = draw_from_regions(state, {&large, &other});
  EXPECT_LE(cost(set), 1e9 + 1e6);
  const TrainingSet neighbours = draw_from_regions(state, {&other, &other, &other});
  EXPECT_EQ(neighbours.blocks.size(), 1U);  // three neighbours of 100 make one neighbourhood
  EXPECT_EQ(neighbours.observations, 300);
}

}  // namespace
}  // namespace splitgp::rivals
