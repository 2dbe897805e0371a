#pragma once

#include <Eigen/Core>

#include "core/log_likelihood.h"
#include "core/theta_parameters.h"

namespace splitgp {

/// What Train maximises, as a function of ThetaParameters: Σ over blocks of log p(Y | X, θ), plus a
/// weak log prior, per observation.
class Objective : public ThetaParameters {
 public:
  /// As ThetaParameters; keeps a reference to `set`.
  Objective(const TrainingSet& set, KernelFamily family, const Hyperparameters& base,
            const FixedHyperparameters& fixed)
      : ThetaParameters(set, family, base, fixed), set_(set) {}

  /// Adds −½ · strength · ‖parameters − parameters(θ)‖² to the value: what is already known about
  /// θ.
  void remember(const Hyperparameters& theta, double strength);

  /// The value at `parameters` and, unless null, its gradient. −∞ (and gradient 0) where a kernel
  /// matrix is not positive definite. O(Σ n³). Uses this object's buffers: one thread at a time.
  double value(const Eigen::VectorXd& parameters, Eigen::VectorXd* gradient);

 private:
  const TrainingSet& set_;
  LogLikelihood likelihood_;
  Eigen::VectorXd remembered_;
  double memory_ = 0.0;
};

}  // namespace splitgp
