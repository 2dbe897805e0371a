#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/train/log_likelihood.h"
#include "core/train/theta_parameters.h"

namespace splitgp {

/// What Train maximises, as a function of ThetaParameters: Σ over blocks of log p(Y | X, θ), plus a
/// weak log prior, per observation. Those that are given are conditioned on: log p(new | given) =
/// log p(both) − log p(given).
class Objective : public ThetaParameters {
 public:
  /// As ThetaParameters; keeps a reference to `set`.
  Objective(const TrainingSet& set, KernelFamily family, const Hyperparameters& base,
            const FixedHyperparameters& fixed)
      : ThetaParameters(set, family, base, fixed), set_(set) {
    if (set.regime > 0) given_ = before(set, set.regime).blocks;
  }

  /// How many threads share the blocks, where these are large. The value does not depend on it.
  void use_threads(int threads) { likelihoods_.resize(static_cast<std::size_t>(threads)); }

  /// Adds −½ · strength · ‖parameters − parameters(θ)‖² to the value: what is already known about
  /// θ.
  void remember(const Hyperparameters& theta, double strength);
  /// What that takes from the value.
  double pull(const Eigen::VectorXd& parameters) const {
    return memory_ > 0.0 ? 0.5 * memory_ * (parameters - remembered_).squaredNorm() : 0.0;
  }

  /// The value at `parameters` and, unless null, its gradient. −∞ (and gradient 0) where a kernel
  /// matrix is not positive definite. O(Σ n³). Uses this object's buffers: one caller at a time.
  double value(const Eigen::VectorXd& parameters, Eigen::VectorXd* gradient);

  /// How −value is expected to be curved at `parameters`: positive definite, from some observations
  /// of the first block, the prior and what is remembered.
  Eigen::MatrixXd curvature(const Eigen::VectorXd& parameters) const;

 private:
  double sum_over(const std::vector<TrainingSet::Block>& blocks, const Hyperparameters& theta,
                  Eigen::VectorXd* gradient);

  const TrainingSet& set_;
  std::vector<TrainingSet::Block> given_;
  std::vector<LogLikelihood> likelihoods_{1};  // one for each thread
  Eigen::VectorXd remembered_;
  double memory_ = 0.0;
};

}  // namespace splitgp
