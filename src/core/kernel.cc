#include "core/kernel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace splitgp {
namespace {

constexpr double kSqrt3 = std::numbers::sqrt3;
const double kSqrt5 = std::sqrt(5.0);

// Eigen's exp never falls below exp(−709) ≈ 1e-308. Beyond this exponent the polynomial of a Matérn
// kernel would raise that to a correlation that matters: 1e-8 for r² = 1e300.
constexpr double kLargestExponent = 1e4;

// Correlations below this are set to 0. They carry no information, and subnormal numbers in a
// triangular solve cost a hundred times as much as zeros.
constexpr double kSmallestCorrelation = 1e-200;

}  // namespace

Kernel::Kernel(const Hyperparameters& theta)
    : family_(theta.kernel),
      inverse_length_scale_(theta.length_scale.cwiseInverse()),
      signal_variance_(theta.signal_variance),
      shape_(theta.shape) {
  assert(family_ != KernelFamily::automatic);
}

void Kernel::squared_distances(const Eigen::Ref<const Eigen::MatrixXd>& points,
                               const Eigen::Ref<const Eigen::VectorXd>& x,
                               Eigen::Ref<Eigen::VectorXd> squared_distance) const {
  squared_distance.setZero();
  for (Eigen::Index k = 0; k < points.cols(); ++k) {
    squared_distance.array() +=
        ((points.col(k).array() - x(k)) * inverse_length_scale_(k)).square();
  }
  squared_distance = squared_distance.cwiseMin(kLargestSquaredDistance);
}

void Kernel::lower_triangle(const Eigen::Ref<const Eigen::MatrixXd>& points,
                            Eigen::Ref<Eigen::MatrixXd> K) const {
  const Eigen::Index n = points.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    auto column = K.col(j).tail(n - j);
    squared_distances(points.bottomRows(n - j), points.row(j).transpose(), column);
    values_in_place(column.array());
  }
}

void Kernel::values_in_place(Eigen::Ref<Eigen::ArrayXXd> r2) const {
  switch (family_) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      r2 = (-0.5 * r2).exp();
      break;
    case KernelFamily::matern12:
      r2 = (-r2.sqrt()).exp();
      break;
    case KernelFamily::matern32:
      r2 = (r2.sqrt() * kSqrt3).min(kLargestExponent);
      r2 = (1.0 + r2) * (-r2).exp();
      break;
    case KernelFamily::matern52:
      r2 = (r2.sqrt() * kSqrt5).min(kLargestExponent);
      r2 = (1.0 + r2 + r2.square() / 3.0) * (-r2).exp();
      break;
    case KernelFamily::rational_quadratic:
      r2 = (-shape_ * (r2 / (2.0 * shape_)).log1p()).exp();
      break;
  }
  r2 = signal_variance_ * (r2 - kSmallestCorrelation).max(0.0);
}

double Kernel::log_similarity(double squared_distance) const {
  const double r = std::sqrt(squared_distance);
  switch (family_) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      break;
    case KernelFamily::matern12:
      return -r;
    case KernelFamily::matern32:
      return std::log1p(kSqrt3 * r) - kSqrt3 * r;
    case KernelFamily::matern52:
      return std::log1p(kSqrt5 * r + 5.0 / 3.0 * squared_distance) - kSqrt5 * r;
    case KernelFamily::rational_quadratic:
      return -shape_ * std::log1p(squared_distance / (2.0 * shape_));
  }
  return -0.5 * squared_distance;
}

void Kernel::derivatives(const Eigen::Ref<const Eigen::ArrayXXd>& r2, Derivatives& result) const {
  result.value = r2;
  values_in_place(result.value);
  result.shape_derivative.resize(0, 0);
  const double s = signal_variance_;
  switch (family_) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      result.slope = result.value;
      break;
    case KernelFamily::matern12:
      result.slope = (r2 > 0.0).select(result.value / r2.sqrt(), 0.0);
      break;
    case KernelFamily::matern32:
      result.slope = 3.0 * s * (-kSqrt3 * r2.sqrt()).exp();
      break;
    case KernelFamily::matern52:
      result.slope = 5.0 / 3.0 * s * (1.0 + kSqrt5 * r2.sqrt()) * (-kSqrt5 * r2.sqrt()).exp();
      break;
    case KernelFamily::rational_quadratic: {
      const Eigen::ArrayXXd excess = r2 / (2.0 * shape_);
      result.slope = result.value / (1.0 + excess);
      // For a large shape the two terms nearly cancel; the log of a rounded 1 + excess would leave
      // noise.
      result.shape_derivative = result.value * shape_ * (excess / (1.0 + excess) - excess.log1p());
      break;
    }
  }
  // Where k is 0, so is its slope; what exp leaves there (kLargestExponent) would matter again once
  // multiplied by r².
  result.slope = (result.value > 0.0).select(result.slope, 0.0);
}

}  // namespace splitgp
