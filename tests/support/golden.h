#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>

#include "splitgp/model_file.h"

/// What the golden files were made from: plain arithmetic, so that it can be reproduced anywhere.
namespace splitgp::testing::golden {

inline constexpr Eigen::Index kAtStart = 40;  // learned before there was a file
inline constexpr Eigen::Index kObservations = 100;
inline constexpr Eigen::Index kQueries = 12;
inline constexpr std::array<std::uint64_t, 4> kForgotten{3, 50, 51, 97};  // since version 3

inline std::filesystem::path directory() {
  return std::filesystem::path(SPLITGP_SOURCE_DIR) / "tests/golden";
}

inline Eigen::VectorXd x(Eigen::Index i) {
  const double t = static_cast<double>(i);
  return Eigen::Vector2d(std::fmod(0.618034 * t, 1.0), std::fmod(0.414214 * t, 2.0) - 1.0);
}
inline Eigen::VectorXd y(Eigen::Index i) {
  const double a = x(i)(0);
  const double b = x(i)(1);
  const double noise = std::fmod(0.732051 * static_cast<double>(i), 1.0) - 0.5;
  return Eigen::Vector2d(a * (1.0 - a) * 4.0 + b + 0.5 * noise, 100.0 * (a * b - noise));
}
inline double noise_variance(Eigen::Index i) { return i % 5 == 0 ? 0.001 : 0.0; }

inline Eigen::MatrixXd queries() {
  Eigen::MatrixXd result(2, kQueries);
  for (Eigen::Index i = 0; i < kQueries; ++i) result.col(i) = 0.9 * x(1000 + 7 * i);
  return result;
}

}  // namespace splitgp::testing::golden
