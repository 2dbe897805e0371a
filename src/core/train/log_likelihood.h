#pragma once

#include <Eigen/Core>

#include "core/kernel/kernel.h"
#include "core/train/training_set.h"

namespace splitgp {

/// (Y − prior mean) / output_scale of a block's observations, n × p.
Eigen::MatrixXd residuals(const TrainingSet::Block& block, const Hyperparameters& theta);

/// Memory for a matrix, which stays when a smaller one needs it.
class MatrixBuffer {
 public:
  /// What was in it stays there only if the size is the same.
  Eigen::Map<Eigen::MatrixXd> use(Eigen::Index rows, Eigen::Index columns) {
    if (memory_.size() < rows * columns) memory_.resize(rows * columns);
    return {memory_.data(), rows, columns};
  }

 private:
  Eigen::VectorXd memory_;
};

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
  void fill(const TrainingSet::Block& block, const Kernel& kernel, Eigen::Map<Eigen::MatrixXd> K);
  void add_gradient(const TrainingSet::Block& block, const Hyperparameters& theta,
                    const LengthScaleGroups& groups, const Eigen::MatrixXd& R,
                    const Eigen::MatrixXd& alpha, Eigen::VectorXd& gradient);

  // Of the n × n matrices only the lower triangles are used.
  MatrixBuffer factor_;  // K, then L, then L⁻¹
  MatrixBuffer weight_;  // K⁻¹, then ααᵀ − p·K⁻¹ times the slope
  MatrixBuffer slope_;
  MatrixBuffer shape_derivative_;
  MatrixBuffer scaled_;  // x / length_scale from the block's middle, and a column of ones
  MatrixBuffer weighted_;
  MatrixBuffer squared_distance_;
};

}  // namespace splitgp
