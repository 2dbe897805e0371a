#pragma once

#include <Eigen/Core>

#include "core/kernel.h"
#include "core/training_set.h"

namespace splitgp {

/// (Y − prior mean) / output_scale of a block's observations, n × p.
Eigen::MatrixXd residuals(const TrainingSet::Block& block, const Hyperparameters& theta);

/// log p(Y | X, θ) of a block of observations. The object only holds buffers: otherwise every
/// evaluation would map matrices of this size from the system and unmap them, which takes a quarter
/// of its time. One thread at a time.
class LogLikelihood {
 public:
  /// The value; −∞ where the kernel matrix is not positive definite. O(n³)
  double of(const TrainingSet::Block& block, const Hyperparameters& theta) {
    return of(block, theta, {}, nullptr);
  }
  /// The same, and adds its derivatives, in ThetaOrder, to `gradient`, unless null.
  double of(const TrainingSet::Block& block, const Hyperparameters& theta,
            const LengthScaleGroups& groups, Eigen::VectorXd* gradient);

 private:
  void fill(const TrainingSet::Block& block, const Kernel& kernel);
  void add_gradient(const TrainingSet::Block& block, const Hyperparameters& theta,
                    const LengthScaleGroups& groups, const Eigen::MatrixXd& R,
                    const Eigen::MatrixXd& alpha, Eigen::VectorXd& gradient);

  // Of the n × n matrices only the lower triangles are used.
  Eigen::MatrixXd factor_;  // K, then L, then L⁻¹
  Eigen::MatrixXd weight_;  // K⁻¹, then ααᵀ − p·K⁻¹ times the slope
  Eigen::MatrixXd slope_;
  Eigen::MatrixXd shape_derivative_;
  Eigen::MatrixXd scaled_;  // x / length_scale from the block's middle, and a column of ones
  Eigen::MatrixXd weighted_;
  Eigen::ArrayXd squared_distance_;
};

}  // namespace splitgp
