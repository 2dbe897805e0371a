#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "splitgp/hyperparameters.h"

namespace splitgp {

/// The prior mean of an output: a constant and, if θ has a trend, what is linear in the inputs.
class PriorMean {
 public:
  /// REQUIRES: θ is complete.
  explicit PriorMean(const Hyperparameters& theta) : mean_(theta.mean) {
    if ((theta.trend.array() == 0.0).all()) return;
    const Eigen::Index d = theta.trend_origin.size();
    origin_ = theta.trend_origin;
    unit_ = theta.output_scale * std::sqrt(theta.signal_variance);
    slopes_ = theta.trend.reshaped(d, mean_.size()) * unit_.cwiseInverse().asDiagonal();
  }

  bool has_trend() const { return slopes_.size() > 0; }

  /// At x, of output o. Without a trend, the mean to the bit. O(d)
  template <typename Input>
  double operator()(Eigen::Index o, const Eigen::MatrixBase<Input>& x) const {
    if (!has_trend()) return mean_(o);
    // In standard deviations of the output, and each input's part held within kFarthest of them:
    // at values of 1e150 a product of a slope and a distance may be infinite.
    double sum = 0.0;
    for (Eigen::Index k = 0; k < origin_.size(); ++k) {
      sum += std::clamp(slopes_(k, o) * (x(k) - origin_(k)), -kFarthest, kFarthest);
    }
    return mean_(o) + unit_(o) * sum;
  }

 private:
  static constexpr double kFarthest = 1e12;

  Eigen::VectorXd mean_;
  Eigen::VectorXd origin_;
  Eigen::VectorXd unit_;    // the prior's standard deviation of each output
  Eigen::MatrixXd slopes_;  // in that unit; one column for each output
};

}  // namespace splitgp
