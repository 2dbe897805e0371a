#include "core/experts/mixture.h"

#include <algorithm>
#include <cmath>

namespace splitgp {

namespace {

constexpr double kScaleMemory = 100.0;  // rows, of scales and mean squared errors
// One row does not multiply a scale by more than this.
constexpr double kMostGrowth = 16.0;
constexpr double kHighestSquare = 1e300;
constexpr double kLowestScale = 1e-30, kHighestScale = 1e30;

// How far a whole step goes.
double precision_weight(double variance, double square) {
  return variance > 0.0 ? variance / (variance + square) : 0.0;
}

// The last error, which is no larger here than what f holds possible for this answer: where f is
// sure it has no error to share.
double most_error(double variance) { return 2.0 * std::sqrt(variance); }

double error_at(double variance, const Opinions& opinions) {
  const double most = most_error(variance);
  return std::clamp(opinions.last_error, -most, most);
}

}  // namespace

Mixed Mixture::mix(double mean, double variance, const Opinions& opinions) const {
  const double v = std::min(scale_ * variance, kHighestSquare);
  const double correction = error_share_ * error_at(v, opinions);
  Mixed result{mean + correction};
  if (std::abs(opinions.last_error) > most_error(v)) result.by_log_variance = 0.5 * correction;
  for (std::size_t k = 0; k < Opinions::kExperts; ++k) {
    if (shares_[k] == 0.0 || !std::isfinite(opinions.answers[k])) continue;
    const double weight = precision_weight(v, squares_[k]);
    const double taken = shares_[k] * weight;
    const double taken_slope = taken * (1.0 - weight);  // by log v
    const double step = opinions.answers[k] - result.mean;
    result.by_mean *= 1.0 - taken;
    result.by_linear *= 1.0 - taken;
    if (k == Opinions::kLinear) result.by_linear += taken;
    result.by_log_variance = (1.0 - taken) * result.by_log_variance + taken_slope * step;
    result.share_by_log_variance -= taken_slope / (1.0 - taken);
    result.mean += taken * step;
    result.variance_share *= 1.0 - taken;
  }
  return result;
}

void Mixture::learn(double mean, double variance, const Opinions& opinions, double observed) {
  const double v = std::min(scale_ * variance, kHighestSquare);
  const double deviation = std::sqrt(v);
  rows_ = std::min(rows_ + 1.0, kScaleMemory);
  const double error = observed - mean;
  if (deviation > 0.0) {
    const double last_error = error_at(v, opinions);
    error_.add(error / deviation, last_error / deviation);
    double answer = mean + error_share_ * last_error;
    for (std::size_t k = 0; k < Opinions::kExperts; ++k) {
      if (!std::isfinite(opinions.answers[k])) continue;
      const double step = precision_weight(v, squares_[k]) * (opinions.answers[k] - answer);
      evidence_[k].add((observed - answer) / deviation, step / deviation);
      answer += shares_[k] * step;
    }
    const double surprise = std::min(error / variance * error, kMostGrowth * scale_);
    scale_ = std::clamp(scale_ + (surprise - scale_) / (1.0 + rows_), kLowestScale, kHighestScale);
  }
  for (std::size_t k = 0; k < Opinions::kExperts; ++k) {
    if (!std::isfinite(opinions.answers[k])) continue;
    const double missed = observed - opinions.answers[k];
    squares_[k] += (std::min(missed * missed, kHighestSquare) - squares_[k]) / rows_;
  }
  settle();
}

void Mixture::settle() {
  error_share_ = error_.share();
  for (std::size_t k = 0; k < Opinions::kExperts; ++k)
    shares_[k] = std::max(0.0, evidence_[k].share());
}

void Mixture::put(double*& out) const {
  *out++ = rows_;
  *out++ = scale_;
  error_.put(out);
  for (const Evidence& one : evidence_) one.put(out);
  for (const double one : squares_) *out++ = one;
}

void Mixture::take(const double*& in) {
  rows_ = *in++;
  scale_ = *in++;
  error_.take(in);
  for (Evidence& one : evidence_) one.take(in);
  for (double& one : squares_) one = *in++;
  settle();
}

}  // namespace splitgp
