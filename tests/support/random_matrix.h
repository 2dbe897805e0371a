#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace splitgp::testing {

/// Random numbers that are the same everywhere: the standard fixes the engine but leaves the
/// distributions to each library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  /// In [0, count).
  Eigen::Index index(Eigen::Index count) {
    return static_cast<Eigen::Index>(engine_() % static_cast<std::uint64_t>(count));
  }

  Eigen::MatrixXd uniform_matrix(Eigen::Index rows, Eigen::Index cols) {
    return Eigen::MatrixXd::NullaryExpr(rows, cols, [this] { return uniform(); });
  }
  Eigen::MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index cols) {
    return Eigen::MatrixXd::NullaryExpr(rows, cols, [this] { return normal(); });
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace splitgp::testing
