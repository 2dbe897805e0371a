#pragma once

#include <Eigen/Core>

namespace splitgp {

/// Where each part of θ is in a vector of derivatives: with respect to the means, and to the logs
/// of all other parts. Inputs of one group share a length scale, so a group has one derivative.
struct ThetaOrder {
  Eigen::Index length_scales;
  Eigen::Index outputs;

  Eigen::Index length_scale(Eigen::Index group) const { return group; }
  Eigen::Index signal_variance() const { return length_scales; }
  Eigen::Index noise_variance() const { return length_scales + 1; }
  Eigen::Index shape() const { return length_scales + 2; }
  Eigen::Index mean(Eigen::Index output) const { return length_scales + 3 + output; }
  Eigen::Index output_scale(Eigen::Index output) const { return mean(outputs + output); }
  Eigen::Index size() const { return mean(2 * outputs); }
};

}  // namespace splitgp
