#pragma once

#include <Eigen/Core>

namespace splitgp {

/// Where each part of θ is in a vector of derivatives: with respect to the means, and to the logs
/// of all other parts.
struct ThetaOrder {
  Eigen::Index inputs;
  Eigen::Index outputs;

  Eigen::Index length_scale(Eigen::Index input) const { return input; }
  Eigen::Index signal_variance() const { return inputs; }
  Eigen::Index noise_variance() const { return inputs + 1; }
  Eigen::Index shape() const { return inputs + 2; }
  Eigen::Index mean(Eigen::Index output) const { return inputs + 3 + output; }
  Eigen::Index output_scale(Eigen::Index output) const { return inputs + 3 + outputs + output; }
  Eigen::Index size() const { return inputs + 3 + 2 * outputs; }
};

}  // namespace splitgp
