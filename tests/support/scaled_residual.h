#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <limits>

namespace splitgp::testing {

/// Both residuals are backward errors in units of n·ε, as in LAPACK's own tests: a stable method
/// stays of order 1 whatever the condition of A, an unstable one does not. LAPACK's threshold:
inline constexpr double kLargestScaledResidual = 30.0;

/// ∞ if anything is not finite: a maximum would overlook a NaN.
inline double one_norm(const Eigen::MatrixXd& A) {
  if (!A.allFinite()) return std::numeric_limits<double>::infinity();
  return A.size() == 0 ? 0.0 : A.cwiseAbs().colwise().sum().maxCoeff();
}

/// ‖A − LLᵀ‖ / (n ‖A‖ ε), 0 for an empty matrix.
inline double factor_residual(const Eigen::MatrixXd& A, const Eigen::MatrixXd& L) {
  if (A.size() == 0) return 0.0;
  const Eigen::MatrixXd error = A - L * L.transpose();
  return one_norm(error) /
         (static_cast<double>(A.rows()) * one_norm(A) * std::numeric_limits<double>::epsilon());
}

/// The largest over the columns of ‖Tx − b‖ / (n ‖T‖ ‖x‖ ε).
inline double solve_residual(const Eigen::MatrixXd& T, const Eigen::MatrixXd& x,
                             const Eigen::MatrixXd& b) {
  double largest = 0.0;
  for (Eigen::Index c = 0; T.size() > 0 && c < x.cols(); ++c) {
    const double error = one_norm(T * x.col(c) - b.col(c));
    largest =
        std::max(largest, error / (static_cast<double>(T.rows()) * one_norm(T) *
                                   one_norm(x.col(c)) * std::numeric_limits<double>::epsilon()));
  }
  return largest;
}

}  // namespace splitgp::testing
