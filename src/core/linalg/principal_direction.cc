#include "core/linalg/principal_direction.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/operations.h"

namespace splitgp {
namespace {

// Squares of 1e±150 would leave the range of double. Eigen's stableNorm fails its own assertions
// for EIGEN_MAX_ALIGN_BYTES = 64 and eight or more values.
double norm(const Eigen::VectorXd& v) {
  const double largest = v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
  return largest > 0.0 ? largest * (v / largest).norm() : 0.0;
}

}  // namespace

Eigen::VectorXd principal_direction(const Eigen::Ref<const Eigen::MatrixXd>& centered) {
  const Eigen::Index d = centered.cols();
  const double largest = centered.size() == 0 ? 0.0 : centered.cwiseAbs().maxCoeff();
  if (!(largest > 0.0)) return Eigen::VectorXd::Zero(d);
  if (d == 1) return Eigen::VectorXd::Ones(1);
  // Squares of 1e±150 would leave the range of double.
  const Eigen::MatrixXd U = centered / largest;
  Eigen::VectorXd v;
  if (d <= U.rows()) {
    const Eigen::MatrixXd covariance = U.transpose() * U;
    v = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance).eigenvectors().col(d - 1);
  } else {
    // UUᵀu = λu  ⇒  UᵀU(Uᵀu) = λ(Uᵀu)
    const Eigen::MatrixXd gram = U * U.transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
    v = U.transpose() * solver.eigenvectors().col(U.rows() - 1);
  }
  return v.normalized();
}

// With matrices that lie on the stack, Eigen allocates nothing.
void principal_direction_in_place(const Eigen::MatrixXd& centered, Eigen::VectorXd& direction) {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMostInPlace,
                              kMostInPlace>;
  const Eigen::Index d = centered.cols();
  assert(d <= kMostInPlace && direction.size() == d);
  const double largest = centered.size() == 0 ? 0.0 : centered.cwiseAbs().maxCoeff();
  direction.setZero();
  if (!(largest > 0.0)) return;
  if (d == 1) {
    direction.setOnes();
    return;
  }
  const double unit = 1.0 / std::max(largest, 1e-300);
  Small covariance(d, d);
  for (Eigen::Index a = 0; a < d; ++a) {
    for (Eigen::Index b = 0; b <= a; ++b) {
      double sum = 0.0;
      for (Eigen::Index j = 0; j < centered.rows(); ++j)
        sum += (centered(j, a) * unit) * (centered(j, b) * unit);
      covariance(a, b) = covariance(b, a) = sum;
    }
  }
  count_operations(centered.rows() * d * d / 2 + 9 * d * d * d);
  const Eigen::SelfAdjointEigenSolver<Small> solver(covariance);
  direction = solver.eigenvectors().col(d - 1).normalized();
}

// v is kept with length √λ, which has the units of x: λ itself may overflow when x is 1e±150.
void OjaDirection::follow(const Eigen::Ref<const Eigen::VectorXd>& centered) {
  n_ += 1.0;
  const double size = norm(v_);
  if (!(size > 0.0)) {
    v_ = centered;
    return;
  }
  // The rule with lengths measured in the larger of the two: squares of the smaller may then vanish
  // next to those of the larger, and nothing overflows.
  const double unit = std::max(size, centered.lpNorm<Eigen::Infinity>());
  const Eigen::VectorXd direction = v_ / size;
  const Eigen::VectorXd x = centered / unit;
  const double eigenvalue = (size / unit) * (size / unit);
  const Eigen::VectorXd next =
      direction * (eigenvalue * (n_ - 1.0) / n_) + x * (x.dot(direction) / n_);
  const double length = norm(next);
  if (length > 0.0) v_ = next / length * (unit * std::sqrt(length));
}

Eigen::VectorXd OjaDirection::direction() const {
  const double size = norm(v_);
  return size > 0.0 ? Eigen::VectorXd(v_ / size) : v_;
}

}  // namespace splitgp
