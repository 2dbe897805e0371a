#include "core/watch/mean_square.h"

#include <algorithm>
#include <cmath>

namespace splitgp {

namespace {

constexpr double kMemory = 100.0;  // rows

}  // namespace

void MeanSquare::add(double score) {
  ++rows;
  // The first rows count alike.
  value += (score * score - value) / std::min(kMemory, static_cast<double>(rows));
}

// An exponentially weighted mean of squares with weight 1/M for the last one varies like one of
// 2M − 1 normal scores, a χ² over its degrees of freedom; its quantiles by Wilson and Hilferty.
InnovationStatistics MeanSquare::statistics() const {
  InnovationStatistics result;
  result.mean_square = value;
  result.rows = rows;
  const double degrees = std::clamp(static_cast<double>(rows), 1.0, 2.0 * kMemory - 1.0);
  const auto quantile = [&](double normal) {
    const double part = 2.0 / (9.0 * degrees);
    return std::pow(std::max(0.0, 1.0 - part + normal * std::sqrt(part)), 3);
  };
  constexpr double kNormal975 = 1.959963984540054;
  result.lower = quantile(-kNormal975);
  result.upper = quantile(kNormal975);
  return result;
}

}  // namespace splitgp
