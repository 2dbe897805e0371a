#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "support/random_matrix.h"

namespace splitgp::testing {

/// How hard a kernel matrix is: from K ≈ I, whose factor is trivial, to K ≈ all ones, whose
/// smallest eigenvalue is nothing but the noise.
struct Conditioning {
  const char* name;
  double length_scale;
  double noise_variance;
};
inline constexpr std::array kConditionings{
    Conditioning{"collapsed", 1e-4, 0.1},
    Conditioning{"ordinary", 0.5, 1e-2},
    Conditioning{"smooth", 5.0, 1e-6},
    // Rounding moves an eigenvalue by about n·ε·‖K‖ = 500·2e-16·500 = 6e-11; the noise is clear of
    // it.
    Conditioning{"near_singular", 1e4, 1e-8},
};

/// RBF kernel matrix, noise included, of the rows of `points`.
inline Eigen::MatrixXd positive_matrix(const Eigen::MatrixXd& points, const Conditioning& how) {
  const Eigen::Index n = points.rows();
  Eigen::MatrixXd A(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double r2 = (points.row(i) - points.row(j)).squaredNorm();
      A(i, j) = A(j, i) = std::exp(-0.5 * r2 / (how.length_scale * how.length_scale));
    }
    A(i, i) = 1.0 + how.noise_variance;
  }
  return A;
}

inline Eigen::MatrixXd positive_matrix(Eigen::Index n, const Conditioning& how) {
  return positive_matrix(Random(17).uniform_matrix(n, 3), how);
}

}  // namespace splitgp::testing
