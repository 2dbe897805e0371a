#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "splitgp/hyperparameters.h"

namespace splitgp {

/// What an output is expected to be before anything is known: a constant, or what is linear in the
/// inputs (θ's trend), each of which counts only within its range.
class PriorMean {
 public:
  /// REQUIRES: θ is complete.
  explicit PriorMean(const Hyperparameters& theta) : mean_(theta.mean) {
    if ((theta.trend_slope.array() == 0.0).all()) return;
    const Eigen::Index d = theta.trend_origin.size();
    origin_ = theta.trend_origin;
    range_ = theta.trend_range;
    unit_ = theta.output_scale * std::sqrt(theta.signal_variance);
    slopes_ = theta.trend_slope.reshaped(d, mean_.size()) * unit_.cwiseInverse().asDiagonal();
    falls_back_ = theta.trend_reach > 0.0;
  }

  /// The trend is no part of the prior, but what a local GP falls back to.
  bool falls_back() const { return falls_back_; }

  /// Otherwise trend_slope() is 0 everywhere.
  bool has_trend() const { return slopes_.size() > 0; }
  /// Otherwise slope() is 0 everywhere.
  bool has_slopes() const { return slopes_.size() > 0 && !falls_back_; }

  /// The prior mean of output o at x. Without a trend, θ's mean to the bit. O(d)
  template <typename Input>
  double operator()(Eigen::Index o, const Eigen::MatrixBase<Input>& x) const {
    return falls_back_ ? mean_(o) : trend(o, x);
  }

  /// The trend of output o at x, whether it is the prior mean or not. O(d)
  template <typename Input>
  double trend(Eigen::Index o, const Eigen::MatrixBase<Input>& x) const {
    if (slopes_.size() == 0) return mean_(o);
    // In standard deviations of the output, and each input's part held within kFarthest of them:
    // at values of 1e150 the product of a slope and a distance may be infinite.
    double sum = 0.0;
    for (Eigen::Index k = 0; k < origin_.size(); ++k) {
      const double distance = std::clamp(x(k) - origin_(k), -range_(k), range_(k));
      sum += std::clamp(slopes_(k, o) * distance, -kFarthest, kFarthest);
    }
    return mean_(o) + unit_(o) * sum;
  }

  /// The derivative of trend(o, x) by input k, and of the prior mean.
  template <typename Input>
  double trend_slope(Eigen::Index o, Eigen::Index k, const Eigen::MatrixBase<Input>& x) const {
    if (slopes_.size() == 0) return 0.0;
    const double distance = x(k) - origin_(k);
    if (std::abs(distance) > range_(k)) return 0.0;
    const double part = slopes_(k, o) * distance;
    return std::abs(part) < kFarthest ? unit_(o) * slopes_(k, o) : 0.0;
  }
  template <typename Input>
  double slope(Eigen::Index o, Eigen::Index k, const Eigen::MatrixBase<Input>& x) const {
    return falls_back_ ? 0.0 : trend_slope(o, k, x);
  }

 private:
  static constexpr double kFarthest = 1e12;

  Eigen::VectorXd mean_;
  bool falls_back_ = false;
  Eigen::VectorXd origin_, range_;  // of each input
  Eigen::VectorXd unit_;            // the prior's standard deviation of each output
  Eigen::MatrixXd slopes_;          // in that unit; one column for each output
};

/// How much of a local GP's own answer is kept, where θ's trend is what it falls back to: 1 where
/// its data leave little of the prior variance, ½ where they leave the share `reach`, and smooth in
/// between, so that predictions stay continuous.
inline double trust_in_posterior(double share_left, double reach) {
  const double ratio = share_left / reach;
  const double squared = ratio * ratio;
  return 1.0 / (1.0 + squared * squared);
}

}  // namespace splitgp
