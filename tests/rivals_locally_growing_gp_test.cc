#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <map>
#include <vector>

#include "rivals/random_tree.h"
#include "rivals/rivals.h"
#include "support/full_gp.h"
#include "support/rival.h"
#include "support/streams.h"

namespace splitgp::rivals::locally_growing_gp_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using splitgp::testing::Random;
using splitgp::testing::rival_theta;
using splitgp::testing::smooth_stream;
using splitgp::testing::Stream;
using splitgp::testing::untrained;

LocallyGrowingGpOptions tree_of(int split_limit, double overlap) {
  LocallyGrowingGpOptions options = untrained<LocallyGrowingGpOptions>(rival_theta(2));
  options.split_limit = split_limit;
  options.overlap = overlap;
  return options;
}

TEST(RandomTree, ProbabilitiesRiseLinearlyAcrossTheOverlap) {
  const RandomTree::Cut cut{1, 2.0, 0.4};
  const auto at = [&](double x) { return cut.probability_right(Eigen::Vector2d(9.0, x)); };
  EXPECT_EQ(at(1.79), 0.0);
  EXPECT_EQ(at(-100.0), 0.0);
  EXPECT_NEAR(at(1.9), 0.25, 1e-12);
  EXPECT_NEAR(at(2.0), 0.5, 1e-12);
  EXPECT_NEAR(at(2.1), 0.75, 1e-12);
  EXPECT_EQ(at(2.3), 1.0);
}

TEST(RandomTree, LeavesAreDrawnAsOftenAsTheirProbabilitiesSay) {
  RandomTree tree;
  tree.split(0, 1, {0, 0.0, 1.0});
  tree.split(1, 2, {0, 0.1, 1.0});
  tree.split(0, 3, {1, 0.0, 0.5});
  const Eigen::Vector2d x(0.2, 0.05);
  std::vector<RandomTree::Active> active;
  tree.active_leaves(x, active);
  std::map<Index, double> expected;
  for (const auto& [leaf, probability] : active) expected[leaf] += probability;
  EXPECT_NEAR(expected[0], 0.3 * 0.4, 1e-12);
  EXPECT_NEAR(expected[3], 0.3 * 0.6, 1e-12);
  EXPECT_NEAR(expected[1], 0.7 * 0.4, 1e-12);
  EXPECT_NEAR(expected[2], 0.7 * 0.6, 1e-12);
  std::mt19937_64 random(1);
  std::map<Index, double> drawn;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) drawn[tree.draw_leaf(x, random)] += 1.0 / kDraws;
  // Four standard deviations of a share of at most 1/4.
  for (const auto& [leaf, probability] : expected) EXPECT_NEAR(drawn[leaf], probability, 0.015);
}

// Without an overlap nothing is random: the tree written out explicitly.
struct Reference {
  Index dimension = -1;
  double position = 0.0;
  std::vector<Reference> children;
  std::vector<Index> points;

  void learn(const MatrixXd& X, Index i, std::size_t limit) {
    if (!children.empty()) {
      children[X(dimension, i) > position ? 1 : 0].learn(X, i, limit);
      return;
    }
    points.push_back(i);
    if (points.size() < limit) return;
    const MatrixXd own = X(Eigen::all, points);
    (own.rowwise().maxCoeff() - own.rowwise().minCoeff()).maxCoeff(&dimension);
    position = own.row(dimension).mean();
    children.resize(2);
    for (const Index j : points) children[X(dimension, j) > position ? 1 : 0].points.push_back(j);
    points.clear();
  }
  const std::vector<Index>& leaf(const VectorXd& x) const {
    return children.empty() ? points : children[x(dimension) > position ? 1 : 0].leaf(x);
  }
};

TEST(LocallyGrowingGp, WithoutOverlapIsTheTreeOfExactGps) {
  const Stream stream = smooth_stream(1, 2, 2, 200);
  const MatrixXd queries = smooth_stream(2, 2, 1, 40).X;
  LocallyGrowingGp gp(2, 2, tree_of(20, 0.0));
  gp.update_batch(stream.X, stream.Y);
  Reference reference;
  for (Index i = 0; i < 200; ++i) reference.learn(stream.X, i, 20);
  const Prediction p = gp.predict(queries);
  for (Index q = 0; q < 40; ++q) {
    const std::vector<Index>& leaf = reference.leaf(queries.col(q));
    const MatrixXd X = stream.X(Eigen::all, leaf);
    const MatrixXd Y = stream.Y(Eigen::all, leaf);
    const Prediction expected =
        splitgp::testing::FullGp(rival_theta(2), X, Y, VectorXd::Zero(X.cols()))
            .predict(queries.col(q));
    EXPECT_LT((p.mean.col(q) - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((p.variance.col(q) - expected.variance).cwiseAbs().maxCoeff(), 1e-9);
  }
}

// One split, with some points left to chance: the model's answer must match one of the ways they
// can fall.
TEST(LocallyGrowingGp, CombinesTheActiveLeavesByTheirProbabilities) {
  const Hyperparameters theta = rival_theta(2);
  // Mean 0, extent 2 in the first input; overlap 0.5 is the region from −0.5 to 0.5.
  MatrixXd X(2, 6);
  X << -1.0, -0.9, -0.3, 0.3, 0.9, 1.0, 0.1, -0.1, 0.2, -0.2, 0.0, 0.1;
  const MatrixXd Y = Random(7).normal_matrix(2, 6);
  const Eigen::Vector2d query(0.1, 0.0);
  const double right = 0.5 + 0.1;
  for (const LeafCombination combination : {LeafCombination::gpoe, LeafCombination::moe}) {
    LocallyGrowingGpOptions options = tree_of(6, 0.5);
    options.combination = combination;
    LocallyGrowingGp gp(2, 2, options);
    gp.update_batch(X, Y);
    ASSERT_EQ(gp.n_local(), 2);
    const Prediction p = gp.predict(query);
    double smallest = 1e300;
    for (unsigned way = 0; way < 4; ++way) {
      std::vector<Index> sides[2] = {{0, 1}, {4, 5}};
      sides[way & 1U].push_back(2);
      sides[way >> 1U].push_back(3);
      std::vector<Prediction> leaves;
      for (const auto& side : sides) {
        const MatrixXd own_X = X(Eigen::all, side);
        const MatrixXd own_Y = Y(Eigen::all, side);
        leaves.push_back(splitgp::testing::FullGp(theta, own_X, own_Y, VectorXd::Zero(own_X.cols()))
                             .predict(query));
      }
      const VectorXd m0 = leaves[0].mean, m1 = leaves[1].mean;
      const VectorXd v0 = leaves[0].variance, v1 = leaves[1].variance;
      VectorXd mean, variance;
      if (combination == LeafCombination::gpoe) {
        variance = ((1.0 - right) / v0.array() + right / v1.array()).inverse();
        mean = variance.array() *
               ((1.0 - right) * m0.array() / v0.array() + right * m1.array() / v1.array());
      } else {
        mean = (1.0 - right) * m0 + right * m1;
        variance =
            (1.0 - right) * (v0 + (m0 - mean).cwiseAbs2()) + right * (v1 + (m1 - mean).cwiseAbs2());
      }
      smallest = std::min(smallest, (p.mean - mean).norm() + (p.variance - variance).norm());
    }
    EXPECT_LT(smallest, 1e-10) << to_string(combination);
  }
}

TEST(LocallyGrowingGp, RepeatedInputsSplitTooAndNoLeafReachesTheLimit) {
  LocallyGrowingGp gp(2, 2, tree_of(4, 0.05));
  for (int i = 0; i < 200; ++i) gp.update(Eigen::Vector2d(1.0, 2.0), Eigen::Vector2d(3.0, 4.0));
  EXPECT_EQ(gp.n_observations(), 200U);
  EXPECT_GT(gp.n_local(), 200 / 4);
  EXPECT_LT(gp.n_local(), 200);
  EXPECT_NEAR(gp.predict(Eigen::Vector2d(1.0, 2.0)).mean(0, 0), 3.0, 0.1);
}

}  // namespace
}  // namespace splitgp::rivals::locally_growing_gp_test
