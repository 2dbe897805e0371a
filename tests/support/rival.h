#pragma once

#include <Eigen/Core>

#include "rivals/rivals.h"

namespace splitgp::testing {

/// θ with every part given and nothing at its default, for `inputs` inputs and two outputs.
inline Hyperparameters rival_theta(Eigen::Index inputs,
                                   KernelFamily family = KernelFamily::matern52) {
  Hyperparameters theta;
  theta.kernel = family;
  theta.length_scale = Eigen::VectorXd::LinSpaced(inputs, 0.5, 0.8);
  theta.signal_variance = 1.7;
  theta.noise_variance = 0.02;
  theta.mean = Eigen::Vector2d(0.3, -5.0);
  theta.output_scale = Eigen::Vector2d(1.0, 2.5);
  return theta;
}

/// Options of any rival whose θ stays as given.
template <typename RivalOptions>
RivalOptions untrained(const Hyperparameters& theta, RivalOptions options = {}) {
  options.training = Training::off;
  options.kernel = theta.kernel;
  options.hyperparameters = theta;
  return options;
}

}  // namespace splitgp::testing
