#include "core/kernel/kernel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "core/base/operations.h"

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

// log(1 + x) for x ≥ 0. Eigen has vector code for the log of doubles but not for log1p; with that a
// stream whose kernel is rational_quadratic takes a fifth less time (pjme_hourly, trainings
// included). What rounding takes from 1 + x is put back: log(u + d) ≈ log u + d/u.
template <typename Derived>
auto log_of_one_plus(const Eigen::ArrayBase<Derived>& x) {
  return (1.0 + x).log() - ((1.0 + x) - 1.0 - x) / (1.0 + x);
}

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
  count_operations(points.size());
  const auto squared = [&](Eigen::Index k) {
    return ((points.col(k).array() - x(k)) * inverse_length_scale_(k)).square();
  };
  // Four inputs in one pass over the sums.
  auto sum = squared_distance.array();
  Eigen::Index k = 0;
  sum.setZero();
  for (; k + 4 <= points.cols(); k += 4)
    sum += (squared(k) + squared(k + 1)) + (squared(k + 2) + squared(k + 3));
  for (; k < points.cols(); ++k) sum += squared(k);
  sum = sum.min(kLargestSquaredDistance);
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
      r2 /= 2.0 * shape_;
      r2 = (-shape_ * log_of_one_plus(r2)).exp();
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

double Kernel::log_similarity_slope(double squared_distance) const {
  if (!(squared_distance < kLargestSquaredDistance)) return 0.0;
  const double r = std::sqrt(squared_distance);
  switch (family_) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      break;
    case KernelFamily::matern12:
      return r > 0.0 ? -0.5 / r : 0.0;
    case KernelFamily::matern32:
      return -1.5 / (1.0 + kSqrt3 * r);
    case KernelFamily::matern52: {
      const double a = kSqrt5 * r;
      return -5.0 / 6.0 * (1.0 + a) / (1.0 + a + 5.0 / 3.0 * squared_distance);
    }
    case KernelFamily::rational_quadratic:
      return -0.5 / (1.0 + squared_distance / (2.0 * shape_));
  }
  return -0.5;
}

// Every family's slope is its value times something without an exponential.
void Kernel::slopes_in_place(const Eigen::Ref<const Eigen::ArrayXd>& value,
                             Eigen::Ref<Eigen::ArrayXd> r2) const {
  switch (family_) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      r2 = value;
      break;
    case KernelFamily::matern12:
      r2 = (r2 > 0.0).select(value / r2.sqrt(), 0.0);
      break;
    case KernelFamily::matern32:
      r2 = 3.0 * value / (1.0 + kSqrt3 * r2.sqrt());
      break;
    case KernelFamily::matern52:
      r2 = 5.0 / 3.0 * value * (1.0 + kSqrt5 * r2.sqrt()) /
           (1.0 + kSqrt5 * r2.sqrt() + 5.0 / 3.0 * r2);
      break;
    case KernelFamily::rational_quadratic:
      r2 = value / (1.0 + r2 / (2.0 * shape_));
      break;
  }
}

void Kernel::derivatives(const Eigen::Ref<const Eigen::ArrayXd>& r2,
                         Eigen::Ref<Eigen::ArrayXd> value, Eigen::Ref<Eigen::ArrayXd> slope,
                         Eigen::Ref<Eigen::ArrayXd> shape_derivative) const {
  const double s = signal_variance_;
  // A correlation becomes a value as in values_in_place.
  const auto scale = [&] { value = s * (value - kSmallestCorrelation).max(0.0); };
  switch (family_) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      value = (-0.5 * r2).exp();
      scale();
      slope = value;
      break;
    case KernelFamily::matern12:
      slope = r2.sqrt();
      value = (-slope).exp();
      scale();
      slope = (r2 > 0.0).select(value / slope, 0.0);
      break;
    case KernelFamily::matern32:
      value = (r2.sqrt() * kSqrt3).min(kLargestExponent);
      slope = (-value).exp();
      value = (1.0 + value) * slope;
      scale();
      slope *= 3.0 * s;
      break;
    case KernelFamily::matern52:
      value = (r2.sqrt() * kSqrt5).min(kLargestExponent);
      slope = (-value).exp();
      value = (1.0 + value + value.square() / 3.0) * slope;
      scale();
      slope *= 5.0 / 3.0 * s * (1.0 + (r2.sqrt() * kSqrt5).min(kLargestExponent));
      break;
    case KernelFamily::rational_quadratic:
      slope = r2 / (2.0 * shape_);
      shape_derivative = log_of_one_plus(slope);
      value = (-shape_ * shape_derivative).exp();
      scale();
      // For a large shape the two terms nearly cancel; the log of a rounded 1 + excess would leave
      // noise.
      shape_derivative = value * shape_ * (slope / (1.0 + slope) - shape_derivative);
      slope = value / (1.0 + slope);
      break;
  }
  // Where k is 0, so is its slope; what exp leaves there (kLargestExponent) would matter again once
  // multiplied by r².
  slope = (value > 0.0).select(slope, 0.0);
}

}  // namespace splitgp
