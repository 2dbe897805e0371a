#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "splitgp/hyperparameters.h"

namespace splitgp::testing {

inline constexpr std::array kFamilies{KernelFamily::rbf, KernelFamily::matern12,
                                      KernelFamily::matern32, KernelFamily::matern52,
                                      KernelFamily::rational_quadratic};

/// ρ(r) straight from the definitions in splitgp/hyperparameters.h, one value at a time and with
/// more digits than the engine has. log1p, because (1 + tiny)^shape would lose them for a large
/// shape.
inline long double reference_correlation(KernelFamily family, long double squared_distance,
                                         long double shape = 1.0L) {
  const long double r = std::sqrt(squared_distance);
  switch (family) {
    case KernelFamily::automatic:
    case KernelFamily::rbf:
      return std::exp(-squared_distance / 2.0L);
    case KernelFamily::matern12:
      return std::exp(-r);
    case KernelFamily::matern32:
      return (1.0L + std::sqrt(3.0L) * r) * std::exp(-std::sqrt(3.0L) * r);
    case KernelFamily::matern52:
      return (1.0L + std::sqrt(5.0L) * r + 5.0L * squared_distance / 3.0L) *
             std::exp(-std::sqrt(5.0L) * r);
    case KernelFamily::rational_quadratic:
      return std::exp(-shape * std::log1p(squared_distance / (2.0L * shape)));
  }
  return NAN;
}

/// k(a, b) of a completed θ.
inline long double reference_kernel(const Hyperparameters& theta, const Eigen::VectorXd& a,
                                    const Eigen::VectorXd& b) {
  long double squared_distance = 0.0L;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    const long double difference =
        (static_cast<long double>(a(k)) - b(k)) / static_cast<long double>(theta.length_scale(k));
    squared_distance += difference * difference;
  }
  return theta.signal_variance * reference_correlation(theta.kernel, squared_distance, theta.shape);
}

}  // namespace splitgp::testing
