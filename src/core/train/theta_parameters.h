#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <vector>

#include "core/train/theta_derivatives.h"
#include "core/train/training_set.h"
#include "splitgp/options.h"

namespace splitgp {

/// In units of the spread: √d for d length scales, the typical distance between two observations.
inline double medium_length_scale(const TrainingSet& set) {
  return std::sqrt(static_cast<double>(set.length_scale_groups.size()));
}

/// θ as Train sees it: a vector of dimensionless parameters. They are logs of length scales over
/// the spread of their inputs and of variances over the output's variance, and means in spreads
/// from the output's mean, so that one set of priors, bounds and starting points serves data in any
/// units.
class ThetaParameters {
 public:
  /// One kernel family; fixed parameters stay as they are in `base`. Keeps a reference to `set`,
  /// but uses only its scale.
  ThetaParameters(const TrainingSet& set, KernelFamily family, const Hyperparameters& base,
                  const FixedHyperparameters& fixed);

  Eigen::Index size() const { return lower_.size(); }
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }
  /// The name of parameter i, for people: "length_scale[3]".
  std::string name(Eigen::Index i) const;

  /// From θ to parameters; values outside the bounds move to the nearest bound.
  Eigen::VectorXd parameters(const Hyperparameters& theta) const;
  Hyperparameters theta(const Eigen::VectorXd& parameters) const;
  /// From derivatives with respect to θ, in ThetaOrder, to those with respect to the parameters.
  ThetaOrder order() const { return {set_.length_scale_groups.size(), set_.output_spread.size()}; }
  Eigen::VectorXd gradient(const Eigen::VectorXd& natural) const;
  /// The same for second derivatives.
  Eigen::MatrixXd curvature(const Eigen::MatrixXd& natural) const;

  /// θ's noise variance as a share of the outputs' variance.
  double noise_share(const Hyperparameters& theta) const {
    return theta.noise_variance / output_variance_;
  }

  /// Where to start: length scales as multiples of the spread, noise as a share of the variance.
  Eigen::VectorXd start(double length_scale, double noise) const;

  /// Returns the log prior and adds its gradient to `gradient`, unless null.
  double log_prior(const Eigen::VectorXd& parameters, Eigen::VectorXd* gradient) const;
  /// The second derivatives of −log prior.
  Eigen::VectorXd prior_curvature() const { return prior_deviation_.cwiseAbs2().cwiseInverse(); }

 private:
  enum class Part { length_scale, signal_variance, noise_variance, shape, mean, output_scale };
  struct Parameter {
    Part part;
    Eigen::Index index;
  };

  Eigen::Index place(Eigen::Index i) const;  // of parameter i in ThetaOrder
  double unit(Eigen::Index i) const;         // of θ for one of parameter i

  const TrainingSet& set_;
  Hyperparameters base_;
  double output_variance_;             // the unit of variances
  Eigen::VectorXd length_scale_unit_;  // of each input
  std::vector<Parameter> parameters_;
  Eigen::VectorXd lower_, upper_, prior_mean_, prior_deviation_;
};

}  // namespace splitgp
