#include "core/triangular.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_matrix.h"

namespace splitgp::triangular_test {

using Eigen::Index;
using Eigen::MatrixXd;

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
