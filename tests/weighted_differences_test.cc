#include "core/linalg/weighted_differences.h"

#include <gtest/gtest.h>

#include "support/random_matrix.h"

namespace splitgp::weighted_differences_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(WeightedDifferences, IsTheSumItPromises) {
  testing::Random random(1);
  for (const Index n : {0, 1, 3, 4, 5, 8, 31}) {
    for (const Index d : {1, 2, 4, 5, 9}) {
      for (const Index columns : {1, 2, 3, 8}) {
        const MatrixXd all = random.normal_matrix(n + 3, d);
        const MatrixXd weights = random.normal_matrix(n, columns);
        const VectorXd x = random.normal_matrix(d, 1);
        const VectorXd scale = random.uniform_matrix(d, 1);
        const MatrixXd differences = all.topRows(n).rowwise() - x.transpose();
        const MatrixXd expected =
            scale.cwiseAbs2().asDiagonal() * differences.transpose() * weights;
        MatrixXd result(d, columns);
        MatrixXd used = weights;
        weighted_differences(all.topRows(n), x, scale, used, result);
        EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), 1e-13) << n << ", " << d;
      }
    }
  }
}

TEST(WeightedDifferences, ManyColumnsAreTheSameSums) {
  testing::Random random(2);
  WeightedDifferences differences;
  for (const Index n : {31, 0, 1, 5, 8}) {
    for (const Index d : {1, 4, 5, 8, 9, 17}) {
      for (const Index columns : {1, 3, 4, 8, 11}) {
        const MatrixXd all = random.normal_matrix(n + 3, d);
        const MatrixXd values = random.normal_matrix(n, columns);
        const VectorXd x = random.normal_matrix(d, 1);
        const VectorXd scale = random.uniform_matrix(d, 1);
        const VectorXd factors = random.normal_matrix(n, 1);
        MatrixXd weights = factors.asDiagonal() * values;
        MatrixXd expected(d, columns), result(d, columns);
        weighted_differences(all.topRows(n), x, scale, weights, expected);
        differences.begin(n, columns);
        for (Index v = 0; v < columns; ++v) differences.set_column(v, values.col(v));
        differences.sum(all.topRows(n), x, scale, factors, result);
        EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), 1e-13) << n << ", " << d;
      }
    }
  }
  differences.begin(2, 1);
  differences.set_column(0, VectorXd::Constant(2, 1e250));
  MatrixXd result(1, 1);
  differences.sum(VectorXd::Constant(2, 1e150), VectorXd::Zero(1), VectorXd::Constant(1, 1e-150),
                  VectorXd::Constant(2, 1e100), result);
  EXPECT_NEAR(result(0, 0), 2e200, 1e186);
}

TEST(WeightedDifferences, NothingOverflowsOnTheWay) {
  const MatrixXd points = VectorXd::Constant(2, 1e150);
  MatrixXd weights = VectorXd::Constant(2, 1e300);
  MatrixXd result(1, 1);
  weighted_differences(points, VectorXd::Zero(1), VectorXd::Constant(1, 1e-150), weights, result);
  EXPECT_NEAR(result(0, 0), 2e150, 1e136);
  weights.setConstant(1e-320);  // subnormal
  weighted_differences(points, VectorXd::Zero(1), VectorXd::Constant(1, 1.0), weights, result);
  EXPECT_GT(result(0, 0), 0.0);
}

}  // namespace
}  // namespace splitgp::weighted_differences_test
