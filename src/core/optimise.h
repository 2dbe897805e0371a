#pragma once

#include <Eigen/Core>
#include <functional>

namespace splitgp {

struct Optimum {
  Eigen::VectorXd parameters;  // the best seen
  double value = 0.0;
  int evaluations = 0;
};

struct StopWhen {
  int evaluations = 100;
  double relative_change = 1e-5;  // of the value between iterations
};

/// Maximises a smooth function within bounds: L-BFGS and, if that fails, SLSQP from where it
/// stopped. The function returns its value and writes its gradient; −∞ marks a point that is not
/// allowed.
Optimum maximise(const std::function<double(const Eigen::VectorXd&, Eigen::VectorXd*)>& function,
                 const Eigen::VectorXd& start, const Eigen::VectorXd& lower,
                 const Eigen::VectorXd& upper, const StopWhen& stop);

}  // namespace splitgp
