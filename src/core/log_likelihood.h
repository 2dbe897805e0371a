#pragma once

#include <Eigen/Core>

#include "core/kernel.h"
#include "core/training_set.h"

namespace splitgp {

/// Derivatives of a log likelihood with respect to the mean and to the logs of all other parts of
/// θ.
struct ThetaGradient {
  ThetaGradient(Eigen::Index inputs, Eigen::Index outputs)
      : length_scale(Eigen::VectorXd::Zero(inputs)),
        mean(Eigen::VectorXd::Zero(outputs)),
        output_scale(Eigen::VectorXd::Zero(outputs)) {}

  void subtract(double times, const ThetaGradient& other) {
    length_scale -= times * other.length_scale;
    signal_variance -= times * other.signal_variance;
    noise_variance -= times * other.noise_variance;
    shape -= times * other.shape;
    mean -= times * other.mean;
    output_scale -= times * other.output_scale;
  }

  Eigen::VectorXd length_scale;
  double signal_variance = 0.0;
  double noise_variance = 0.0;
  double shape = 0.0;
  Eigen::VectorXd mean;
  Eigen::VectorXd output_scale;
};

/// (Y − prior mean) / output_scale of a block's observations, n × p.
Eigen::MatrixXd residuals(const TrainingSet::Block& block, const Hyperparameters& theta);

/// log p(Y | X, θ) of a block of observations. The object only holds buffers: otherwise every
/// evaluation would map matrices of this size from the system and unmap them, which takes a quarter
/// of its time. One thread at a time.
class LogLikelihood {
 public:
  /// Returns the value and adds its derivatives to `gradient`, unless null. −∞ where the kernel
  /// matrix is not positive definite. O(n³)
  double of(const TrainingSet::Block& block, const Hyperparameters& theta, ThetaGradient* gradient);

 private:
  Kernel::Derivatives kernel_;
  Eigen::ArrayXXd squared_distance_;
  Eigen::MatrixXd factor_, weight_;
};

}  // namespace splitgp
