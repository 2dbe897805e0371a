#pragma once

#include <Eigen/Core>
#include <cmath>

#include "core/linalg/growing_cholesky.h"

namespace splitgp::testing {

/// L as a matrix.
inline Eigen::MatrixXd dense(const GrowingCholesky& factor) {
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(factor.size(), factor.size());
  for (Eigen::Index i = 0; i < factor.size(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) L(i, j) = factor(i, j);
  }
  return L;
}

/// Appends the row (a, diagonal) of A: w = L⁻¹a, pivot² = diagonal − wᵀw. Returns pivot²; changes
/// nothing if that is not above `smallest_pivot_squared`.
inline double append(GrowingCholesky& factor, const Eigen::Ref<const Eigen::VectorXd>& a,
                     double diagonal, double smallest_pivot_squared = 0.0) {
  Eigen::VectorXd w = a;
  factor.solve_lower(w);
  const double pivot_squared = diagonal - w.squaredNorm();
  if (pivot_squared > smallest_pivot_squared) factor.append_solved(w, std::sqrt(pivot_squared));
  return pivot_squared;
}

/// Removes row and column j of A.
inline void remove(GrowingCholesky& factor, Eigen::Index j) {
  Eigen::MatrixXd nothing(factor.size(), 0);
  factor.remove(j, nothing);
}

}  // namespace splitgp::testing
