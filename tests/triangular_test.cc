#include "core/linalg/triangular.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_matrix.h"

namespace splitgp::triangular_test {

using Eigen::Index;
using Eigen::MatrixXd;

TEST(Triangular, FactorMatchesTheDenseOne) {
  testing::Random random(2);
  for (const Index n : {1, 2, 16, 31, 32, 33, 64, 65, 130, 257}) {
    const MatrixXd root = random.normal_matrix(n, n);
    const MatrixXd A = root * root.transpose() + static_cast<double>(n) * MatrixXd::Identity(n, n);
    MatrixXd L = A;
    L.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
    ASSERT_TRUE(factorise_lower(L)) << n;
    const MatrixXd clean = L.triangularView<Eigen::Lower>();
    EXPECT_LT((clean * clean.transpose() - A).cwiseAbs().maxCoeff(),
              1e-14 * static_cast<double>(n) * A.cwiseAbs().maxCoeff())
        << n;
  }
}

// Wherever the bad pivot is, in a half that is factorised first or last.
TEST(Triangular, FactorOfAnIndefiniteMatrixIsRefused) {
  for (const Index n : {1, 40, 130}) {
    for (const Index bad : {Index{0}, n / 2, n - 1}) {
      for (const double pivot : {0.0, -1.0, std::nan("")}) {
        MatrixXd A = MatrixXd::Identity(n, n);
        A(bad, bad) = pivot;
        EXPECT_FALSE(factorise_lower(A)) << n << " " << bad << " " << pivot;
      }
    }
  }
}

// Sizes around those at which a matrix is halved; NaN above the diagonal, which must not be read.
TEST(Triangular, InverseAndProductMatchDenseOnes) {
  testing::Random random(1);
  for (const Index n : {1, 2, 31, 32, 33, 64, 65, 130, 257}) {
    MatrixXd L = 0.3 * random.normal_matrix(n, n) / std::sqrt(static_cast<double>(n));
    L.diagonal().array() = 1.0 + L.diagonal().array().square();
    const MatrixXd lower = L.triangularView<Eigen::Lower>();
    MatrixXd inverse = L, scratch(n, n), product(n, n);
    inverse.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
    invert_lower(inverse, scratch);
    const MatrixXd clean = inverse.triangularView<Eigen::Lower>();
    EXPECT_LT((clean * lower - MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-12) << n;
    transpose_times_self(inverse, product);
    const MatrixXd difference = product - clean.transpose() * clean;
    EXPECT_LT(MatrixXd(difference.triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), 1e-12)
        << n;
  }
}

}  // namespace splitgp::triangular_test
