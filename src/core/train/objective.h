#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "core/train/log_likelihood.h"
#include "core/train/theta_parameters.h"

namespace splitgp {

/// What Train maximises, as a function of ThetaParameters: Σ over blocks of log p(Y | X, θ), plus a
/// weak log prior, per observation.
///
/// Observations that are given count for their weight: a θ that makes the new ones likely by
/// calling the old ones impossible would not predict well from both.
class Objective : public ThetaParameters {
 public:
  /// As ThetaParameters; keeps a reference to `set`.
  Objective(const TrainingSet& set, KernelFamily family, const Hyperparameters& base,
            const FixedHyperparameters& fixed)
      : ThetaParameters(set, family, base, fixed), set_(set) {
    Eigen::Index given = 0;
    for (const TrainingSet::Block& block : set.blocks) {
      if (block.given == 0) continue;
      given += block.given;
      given_.push_back({block.inputs.bottomRows(block.given),
                        block.outputs.bottomRows(block.given),
                        block.noise_variance.tail(block.given),
                        {block.sequence.end() - block.given, block.sequence.end()},
                        block.given});
    }
    if (given > 0) {
      given_weight_ = std::min(
          1.0, kGivenShare * static_cast<double>(set.observations) / static_cast<double>(given));
    }
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

  static constexpr double kGivenShare = 0.03;  // of the weight of the others

  const TrainingSet& set_;
  std::vector<TrainingSet::Block> given_;
  double given_weight_ = 1.0;
  std::vector<LogLikelihood> likelihoods_{1};  // one for each thread
  Eigen::VectorXd remembered_;
  double memory_ = 0.0;
};

}  // namespace splitgp
