#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>

namespace splitgp {

/// A function to maximise: returns its value and writes its gradient. −∞ marks a point that is not
/// allowed.
using Differentiable = std::function<double(const Eigen::VectorXd&, Eigen::VectorXd*)>;

struct Optimum {
  Eigen::VectorXd parameters;  // the best seen
  double value = -std::numeric_limits<double>::infinity();
  double start_value = value;
  int evaluations = 0;
};

struct StopWhen {
  int evaluations = 100;
  double gain = 1e-5;       // that the next step would still bring, as far as is known
  double worthwhile = 0.0;  // a first step that would bring less is not made
  /// A race: stop once this value is out of reach.
  double beat = -std::numeric_limits<double>::infinity();
};

/// Maximises a smooth function within bounds by BFGS. `curvature`, positive definite, is what is
/// known about the second derivatives of −function at the start; good knowledge saves most of the
/// steps.
Optimum maximise(const Differentiable& function, const Eigen::MatrixXd& curvature,
                 const Eigen::VectorXd& start, const Eigen::VectorXd& lower,
                 const Eigen::VectorXd& upper, const StopWhen& stop);

}  // namespace splitgp
