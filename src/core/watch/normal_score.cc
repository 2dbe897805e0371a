#include "core/watch/normal_score.h"

#include <algorithm>
#include <cmath>

namespace splitgp {

namespace {

// One row then adds at most 2.7 nats to a detector.
constexpr double kCutOff = 3.0;

}  // namespace

double normal_score(double z, double degrees_of_freedom) {
  if (std::isnan(z)) return 0.0;  // 0/0 says nothing
  double score = std::abs(z);
  const double nu = degrees_of_freedom;
  if (nu < 1e6 && score < 1e100) {
    const double t_squared = score * score * nu / (nu - 2.0);
    score = std::sqrt(nu * std::log1p(t_squared / nu)) * (8.0 * nu + 1.0) / (8.0 * nu + 3.0);
  }
  return std::copysign(std::min(score, kCutOff), z);
}

}  // namespace splitgp
