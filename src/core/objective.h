#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>

#include "core/kernel.h"
#include "core/training_set.h"
#include "splitgp/options.h"

namespace splitgp {

/// In spreads: √d, the typical distance between two observations.
inline double medium_length_scale(const TrainingSet& set) {
  return std::sqrt(static_cast<double>(set.input_spread.size()));
}

/// What Train maximises: Σ over blocks of log p(Y | X, θ), plus a weak log prior, per observation.
///
/// θ is seen through a vector of parameters that are free of units: logs of length scales over the
/// input's spread, of variances over the output's variance; means in spreads from the output's
/// mean. So one set of priors, bounds and starting points serves data in any units.
class Objective {
 public:
  /// One kernel family; parameters of `base` that are fixed stay as they are there. `set` is
  /// referred to.
  Objective(const TrainingSet& set, KernelFamily family, const Hyperparameters& base,
            const FixedHyperparameters& fixed);

  Eigen::Index size() const { return lower_.size(); }
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  /// Of parameter i, for people: "length_scale[3]".
  std::string name(Eigen::Index i) const;

  /// Adds −½ · strength · ‖parameters − parameters(θ)‖² to the value: what is known of θ from
  /// elsewhere.
  void remember(const Hyperparameters& theta, double strength);

  /// Between θ and parameters; outside the bounds it is moved to the nearest.
  Eigen::VectorXd parameters(const Hyperparameters& theta) const;
  Hyperparameters theta(const Eigen::VectorXd& parameters) const;

  /// θ's noise variance as a share of the outputs' variance.
  double noise_share(const Hyperparameters& theta) const {
    return theta.noise_variance / output_variance_;
  }

  /// Where to start: length scales as multiples of the spread, noise as a share of the variance.
  Eigen::VectorXd start(double length_scale, double noise) const;

  /// The value at `parameters` and, unless null, its gradient. −∞ (and gradient 0) where a kernel
  /// matrix is not positive definite. O(Σ n³). Uses this object's buffers: one thread at a time.
  double value(const Eigen::VectorXd& parameters, Eigen::VectorXd* gradient);

 private:
  struct Gradient;
  double block_value(const TrainingSet::Block& block, const Hyperparameters& theta,
                     Gradient* gradient);
  double prior(const Eigen::VectorXd& parameters, Eigen::VectorXd* gradient) const;
  enum class Part { length_scale, signal_variance, noise_variance, shape, mean, output_scale };
  struct Parameter {
    Part part;
    Eigen::Index index;
  };

  const TrainingSet& set_;
  Hyperparameters base_;
  double output_variance_;  // the unit of variances
  std::vector<Parameter> parameters_;
  Eigen::VectorXd lower_, upper_, prior_mean_, prior_deviation_;
  Eigen::VectorXd remembered_;
  double memory_ = 0.0;

  // Buffers. Matrices of this size would otherwise be mapped from the system, and unmapped, with
  // every evaluation, which costs a quarter of it.
  Kernel::Derivatives kernel_;
  Eigen::ArrayXXd squared_distance_;
  Eigen::MatrixXd factor_, weight_;
};

}  // namespace splitgp
