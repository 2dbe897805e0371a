#include "core/linalg/principal_direction.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>

#include "support/random_matrix.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;

// In the scaled space inputs are divided by their length scales, so the exponents go twice as far
// as those of inputs.
constexpr double kUnits[] = {1.0, 1e-150, 1e150, 1e-290, 1e290};

// n points around 0, spread three times as far in one random direction as in any other.
MatrixXd anisotropic(Random& random, Index n, Index d) {
  MatrixXd points = random.normal_matrix(n, d);
  points.col(0) *= 3.0;
  const MatrixXd rotation =
      Eigen::HouseholderQR<MatrixXd>(random.normal_matrix(d, d)).householderQ();
  return points * rotation;
}

MatrixXd centered(const MatrixXd& points) { return points.rowwise() - points.colwise().mean(); }

VectorXd by_svd(const MatrixXd& points) {
  return Eigen::JacobiSVD<MatrixXd>(points, Eigen::ComputeFullV).matrixV().col(0);
}

// How parallel two unit vectors are, whichever way they point.
double cosine(const VectorXd& a, const VectorXd& b) { return std::abs(a.dot(b)); }

VectorXd oja(const MatrixXd& points) {
  OjaDirection direction;
  VectorXd mean = VectorXd::Zero(points.cols());
  for (Index i = 0; i < points.rows(); ++i) {
    mean += (points.row(i).transpose() - mean) / static_cast<double>(i + 1);
    direction.follow(points.row(i).transpose() - mean);
  }
  return direction.direction();
}

TEST(PrincipalDirection, MatchesAnSvd) {
  Random random(1);
  // Both decompositions: fewer points than inputs, and more.
  for (const auto& [n, d] : {std::pair{50, 1}, {2, 2}, {50, 2}, {9, 8}, {8, 8}, {5, 20}, {2, 30}}) {
    for (const double unit : kUnits) {
      const MatrixXd points = centered(anisotropic(random, n, d));
      const VectorXd v = principal_direction(points * unit);
      // The eigenvalues are apart, so v is as good as the covariance, a few ε; 1 − cosine is its
      // square, and no better than the rounding of the dot product.
      EXPECT_NEAR(cosine(v, by_svd(points)), 1.0, 1e-13) << n << " × " << d << ", unit " << unit;
      EXPECT_NEAR(v.norm(), 1.0, 1e-14);
    }
  }
}

TEST(PrincipalDirection, FindsTheOnlyColumnThatVaries) {
  for (const Index n : {3, 100}) {
    MatrixXd points = MatrixXd::Zero(n, 10);
    points.col(7).setLinSpaced(-1e-200, 1e-200);
    const VectorXd v = principal_direction(points);
    EXPECT_NEAR(std::abs(v(7)), 1.0, 1e-15);
    EXPECT_NEAR(v.norm(), 1.0, 1e-15);
  }
}

TEST(PrincipalDirection, SeesColumnsOfVeryDifferentUnits) {
  Random random(3);
  MatrixXd points = random.normal_matrix(40, 3);
  points.col(0) *= 1e-150;
  points.col(2) *= 1e150;
  EXPECT_NEAR(std::abs(principal_direction(centered(points))(2)), 1.0, 1e-15);
}

TEST(PrincipalDirection, IsZeroWithoutVariance) {
  for (const auto& [n, d] : {std::pair{0, 3}, {1, 1}, {1, 3}, {20, 1}, {20, 3}, {3, 20}}) {
    const VectorXd v = principal_direction(MatrixXd::Zero(n, d));
    EXPECT_EQ(v, VectorXd::Zero(d)) << n << " × " << d;
  }
}

TEST(OjaDirection, ConvergesToTheExactDirectionInAnyUnits) {
  for (const Index d : {2, 5, 20}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Random random(seed);
      const MatrixXd points = anisotropic(random, 1000, d);
      const VectorXd exact = principal_direction(centered(points));
      for (const double unit : kUnits) {
        const VectorXd v = oja(points * unit);
        // The step 1/n forgets the start like 1/n: after 1000 points the angle is a few degrees at
        // most.
        EXPECT_GT(cosine(v, exact), 0.99) << d << " inputs, seed " << seed << ", unit " << unit;
        EXPECT_NEAR(v.norm(), 1.0, 1e-14);
      }
    }
  }
}

TEST(OjaDirection, FollowsAnOffset) {
  Random random(11);
  const MatrixXd points = anisotropic(random, 1000, 3);
  const VectorXd exact = principal_direction(centered(points));
  EXPECT_GT(cosine(oja(points.array() + 1e8), exact), 0.99);
}

TEST(OjaDirection, IsZeroForIdenticalInputs) {
  for (const double value : {0.0, 0.1, 1e8 + 0.1, -1e150}) {
    EXPECT_EQ(oja(MatrixXd::Constant(50, 3, value)), VectorXd::Zero(3)) << value;
  }
}

TEST(OjaDirection, TurnsToAHugeOutlierAndSurvivesIt) {
  Random random(12);
  // The outlier must not overflow, and what follows it, some 1e-300 of its size, must not be lost
  // as NaN.
  for (const double outlier : {1e10, 1e150}) {
    MatrixXd points = anisotropic(random, 60, 3) * (1.0 / outlier);
    points.row(40) << 0.0, outlier, 0.0;
    const VectorXd after_outlier = oja(points.topRows(41));
    EXPECT_NEAR(std::abs(after_outlier(1)), 1.0, 1e-6) << outlier;
    EXPECT_NEAR(std::abs(oja(points)(1)), 1.0, 1e-6) << outlier;
  }
}

TEST(OjaDirection, HoldsOneVector) {
  OjaDirection direction;
  EXPECT_EQ(direction.memory_bytes(), 0u);
  direction.follow(VectorXd::Ones(6));
  EXPECT_EQ(direction.memory_bytes(), 6 * sizeof(double));
}

}  // namespace
}  // namespace splitgp
