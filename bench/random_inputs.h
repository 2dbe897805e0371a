#pragma once

#include <Eigen/Core>
#include <random>

namespace bench {

/// Inputs as columns, each value drawn from N(0, 1).
inline Eigen::MatrixXd random_inputs(Eigen::Index inputs, Eigen::Index n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(inputs, n, [&] { return normal(random); });
}

}  // namespace bench
