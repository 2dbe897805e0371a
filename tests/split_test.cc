#include "core/partition/split.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/local_gps.h"

namespace splitgp {
namespace {

// The second child of a local GP that becomes the first.
LocalGp split(LocalGp& parent) {
  LocalGp second = parent;
  SplitWorkspace workspace;
  splitgp::split(parent, second, workspace);
  return second;
}

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::local_gp_of;
using testing::owned_sequences;
using testing::Random;
using Sequences = std::vector<std::uint64_t>;

Options options_of(PrincipalDirection direction = PrincipalDirection::exact,
                   SplitSpace space = SplitSpace::scaled) {
  Options options;
  options.comparison.principal_direction = direction;
  options.comparison.split_space = space;
  return options;
}

// Every observation has one owner, and neither local GP is empty.
void expect_partition(const LocalGp& first, const LocalGp& second, Index n) {
  EXPECT_GT(first.owned(), 0);
  EXPECT_GT(second.owned(), 0);
  Sequences all = owned_sequences(first);
  const Sequences others = owned_sequences(second);
  all.insert(all.end(), others.begin(), others.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(std::ssize(all), n);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  EXPECT_TRUE(first.center().allFinite());
  EXPECT_TRUE(second.center().allFinite());
}

TEST(Split, CutsAtTheCenterAcrossTheWidestDirection) {
  // Centered on (0, 0), wide along (2, 1), with one pair across and one point on the cutting line
  // itself. The order and the multiples of 3 and 5 make each running mean exact.
  MatrixXd X(2, 7);
  X.col(0) << 1.0, -1.0;
  X.col(1) << -1.0, 1.0;
  X.col(2) << 6.0, 3.0;
  X.col(3) << -6.0, -3.0;
  X.col(4) << 10.0, 5.0;
  X.col(5) << -10.0, -5.0;
  X.col(6) << 0.0, 0.0;
  LocalGp first = local_gp_of(X, {}, options_of());
  const VectorXd v = first.principal_direction();
  EXPECT_GT(std::abs(v(0)), 1.8 * std::abs(v(1)));
  const LocalGp second = split(first);
  expect_partition(first, second, 7);
  // The positive side stays; the other one, which the point on the line belongs to, leaves. Which
  // side is positive is the decomposition's choice.
  if (v(0) > 0.0) {
    EXPECT_EQ(owned_sequences(first), (Sequences{0, 2, 4}));
    EXPECT_EQ(owned_sequences(second), (Sequences{1, 3, 5, 6}));
  } else {
    EXPECT_EQ(owned_sequences(first), (Sequences{1, 3, 5}));
    EXPECT_EQ(owned_sequences(second), (Sequences{0, 2, 4, 6}));
  }
}

TEST(Split, PositiveSideStays) {
  Random random(1);
  for (const PrincipalDirection direction : {PrincipalDirection::exact, PrincipalDirection::oja}) {
    for (const SplitSpace space : {SplitSpace::scaled, SplitSpace::raw}) {
      const MatrixXd X = random.normal_matrix(3, 60);
      Hyperparameters theta;
      theta.length_scale = Eigen::Vector3d(0.5, 1.0, 4.0);
      LocalGp first = local_gp_of(X, theta, options_of(direction, space));
      const VectorXd v = first.principal_direction();
      const VectorXd center = first.center();
      const LocalGp second = split(first);
      expect_partition(first, second, 60);
      for (Index j = 0; j < 60; ++j) {
        VectorXd difference = X.col(j) - center;
        if (space == SplitSpace::scaled) difference = difference.cwiseQuotient(theta.length_scale);
        EXPECT_EQ(first.owns(j), v.dot(difference) > 0.0) << j;
        EXPECT_NE(first.owns(j), second.owns(j)) << j;
      }
    }
  }
}

TEST(Split, OneInputIsCutAtItsMean) {
  MatrixXd X(1, 5);
  X << 4.0, 1.0, 9.0, 2.0, 3.0;  // mean 3.8
  LocalGp first = local_gp_of(X, {}, options_of());
  const LocalGp second = split(first);
  EXPECT_EQ(owned_sequences(first), (Sequences{0, 2}));
  EXPECT_EQ(owned_sequences(second), (Sequences{1, 3, 4}));
}

TEST(Split, IdenticalInputsAreHalvedByArrival) {
  for (const PrincipalDirection direction : {PrincipalDirection::exact, PrincipalDirection::oja}) {
    for (const double value : {0.0, 0.1, 1e8 + 0.1, -1e150, 1e-150}) {
      LocalGp first = local_gp_of(MatrixXd::Constant(3, 5, value), {}, options_of(direction));
      const LocalGp second = split(first);
      EXPECT_EQ(owned_sequences(second), (Sequences{0, 1})) << value;
      EXPECT_EQ(owned_sequences(first), (Sequences{2, 3, 4})) << value;
    }
  }
}

TEST(Split, ClustersCloserThanRoundingAreTakenInOrder) {
  // Neighbours among the doubles: their mean is one of the two, so the cut may find all on one
  // side.
  const double low = 1e8;
  const double high = std::nextafter(low, 2e8);
  for (const PrincipalDirection direction : {PrincipalDirection::exact, PrincipalDirection::oja}) {
    for (int lows = 1; lows < 10; ++lows) {
      MatrixXd X = MatrixXd::Constant(2, 10, low);
      for (Index j = 0; j < 10; ++j) X(0, j) = (7 * j) % 10 < lows ? low : high;
      LocalGp first = local_gp_of(X, {}, options_of(direction));
      const VectorXd v = first.principal_direction();
      const LocalGp second = split(first);
      expect_partition(first, second, 10);
      // Those that stay are at least as far along v as those that leave.
      for (Index j = 0; j < 10; ++j) {
        for (Index k = 0; k < 10; ++k) {
          if (first.owns(j) && second.owns(k)) {
            EXPECT_GE(v(0) * (X(0, j) - X(0, k)), 0.0) << lows << " low: " << j << ", " << k;
          }
        }
      }
    }
  }
}

TEST(Split, OneHugeOutlierIsCutOff) {
  Random random(2);
  for (const PrincipalDirection direction : {PrincipalDirection::exact, PrincipalDirection::oja}) {
    for (const double outlier : {1e6, 1e150, -1e150}) {
      for (const Index place : {0, 1, 7, 19}) {
        MatrixXd X = random.uniform_matrix(2, 20);
        X.col(place) << outlier, 0.5 * outlier;
        LocalGp first = local_gp_of(X, {}, options_of(direction));
        const LocalGp second = split(first);
        expect_partition(first, second, 20);
        EXPECT_EQ(std::min(first.owned(), second.owned()), 1)
            << to_string(direction) << ", " << outlier << " at " << place;
      }
    }
  }
}

// Streams of awkward values: repetitions, neighbours, offsets, and both ends of the range.
TEST(Split, NeverLeavesAChildEmpty) {
  const double values[] = {0.0,         1.0,    -1.0,   1e8,    std::nextafter(1e8, 2e8),
                           1e150,       -1e150, 1e-150, 3e-150, 0.1,
                           0.1 + 1e-16, 5e-324};
  Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const Index d = 1 + random.index(3);
    const Index n = 2 + random.index(9);
    const Index kinds = 1 + random.index(3);  // how many different values
    MatrixXd X(d, n);
    const Index start = random.index(12);
    for (double& value : X.reshaped()) value = values[(start + random.index(kinds)) % 12];
    Hyperparameters theta;
    theta.length_scale = VectorXd::Constant(d, std::pow(10.0, random.uniform(-150.0, 150.0)));
    Options options =
        options_of(random.index(2) == 0 ? PrincipalDirection::exact : PrincipalDirection::oja,
                   random.index(2) == 0 ? SplitSpace::scaled : SplitSpace::raw);
    options.comparison.inherit = random.index(2) == 0;
    SCOPED_TRACE(::testing::Message()
                 << "trial " << trial << ", length scale " << theta.length_scale(0) << "\n"
                 << X);
    LocalGp first = local_gp_of(X, theta, options);
    const LocalGp second = split(first);
    expect_partition(first, second, n);
    if (HasFailure()) break;
  }
}

TEST(Split, ScaledSpaceIgnoresUnitsAndRawSpaceDoesNot) {
  // Column 0 is around 1e6 and hardly matters (a tenth of its length scale); column 1 is around 1
  // and does (ten length scales).
  Random random(4);
  MatrixXd X = random.normal_matrix(2, 50);
  X.row(0) *= 1e6;
  Hyperparameters theta;
  theta.length_scale = Eigen::Vector2d(1e7, 0.1);
  for (const PrincipalDirection direction : {PrincipalDirection::exact, PrincipalDirection::oja}) {
    for (const SplitSpace space : {SplitSpace::scaled, SplitSpace::raw}) {
      const Index cut = space == SplitSpace::raw ? 0 : 1;
      LocalGp first = local_gp_of(X, theta, options_of(direction, space));
      const VectorXd center = first.center();
      const LocalGp second = split(first);
      // All but a few points close to the center are separated by the column that matters.
      Index misplaced = 0;
      const double side = first.center()(cut) > center(cut) ? 1.0 : -1.0;
      for (Index j = 0; j < 50; ++j) {
        misplaced += first.owns(j) != (side * (X(cut, j) - center(cut)) > 0.0) ? 1 : 0;
      }
      EXPECT_LE(misplaced, 2) << to_string(direction) << ", " << to_string(space);
    }
  }
}

}  // namespace
}  // namespace splitgp
