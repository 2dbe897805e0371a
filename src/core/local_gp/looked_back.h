#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

namespace splitgp {

/// What the owner of a row would have expected without some of its points: how errors grow with the
/// reach of a prediction, known without anybody's reporting it. A column for each of kAges, without
/// the points that are younger than that many rows, and one for a point of its own that it left
/// out, whatever its age.
struct LookedBack {
  /// Powers of two from 1, the row that comes next.
  static constexpr Eigen::Index kAges = 9;
  static constexpr Eigen::Index kLeftOut = kAges;
  static constexpr std::uint64_t age(Eigen::Index column) { return std::uint64_t{1} << column; }

  explicit LookedBack(Eigen::Index outputs)
      : error(outputs, kAges + 1), variance(outputs, kAges + 1), share(kAges + 1) {}

  Eigen::MatrixXd error;     // observed − expected, and …
  Eigen::MatrixXd variance;  // … the variance of that, noise included and in local scale
  Eigen::RowVectorXd share;  // of the prior's variance, noise included, that was left; 0: not known
};

}  // namespace splitgp
