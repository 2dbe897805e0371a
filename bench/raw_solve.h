#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <random>
#include <vector>

#include "measure.h"

namespace bench {

/// Seconds of one triangular solve of size m: the least that must be done for an observation. It is
/// Eigen's, compiled for the baseline, and works in turn on this many matrices: one stays in the
/// cache, many do not. The best of several rounds: a busy machine can only be slower.
inline double raw_solve_seconds(Eigen::Index m, Eigen::Index matrices) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const Eigen::MatrixXd X = Eigen::MatrixXd::NullaryExpr(8, m, [&] { return normal(random); });
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(m, m) * static_cast<double>(m);
  A += (X.transpose() * X).cwiseAbs();
  const std::vector<Eigen::MatrixXd> factors(static_cast<std::size_t>(matrices), A.llt().matrixL());
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(m, -1.0, 1.0);
  const int solves = std::max(20, static_cast<int>(matrices));
  Eigen::VectorXd x;
  double best = 1e9;
  for (int round = 0; round < 10; ++round) {
    const double began = thread_seconds();
    for (int i = 0; i < solves; ++i) {
      x = b;
      factors[static_cast<std::size_t>(i) % factors.size()]
          .triangularView<Eigen::Lower>()
          .solveInPlace(x);
      benchmark::DoNotOptimize(x.data());
    }
    best = std::min(best, (thread_seconds() - began) / solves);
  }
  return best;
}

}  // namespace bench
