#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

namespace splitgp {

/// Mean and spread of every column of a stream so far (Welford), which no single reading bends: a
/// value counts as if it were no further from the mean than kFarthest spreads. O(columns) per
/// observation.
///
/// Among ordinary values none is that far, and the figures are the plain ones to the bit. A column
/// that really moves takes its spread with it, because each row may widen it by so much.
class StreamStatistics {
 public:
  /// The whole state, for saving and loading a model.
  struct Sums {
    Eigen::Index n = 0;
    Eigen::VectorXd mean;
    Eigen::VectorXd squares;  // Σ (value − mean)²
  };

  explicit StreamStatistics(Eigen::Index columns)
      : sums_{0, Eigen::VectorXd::Zero(columns), Eigen::VectorXd::Zero(columns)} {}
  explicit StreamStatistics(Sums sums) : sums_(std::move(sums)) {}
  const Sums& sums() const { return sums_; }

  void add(const Eigen::Ref<const Eigen::VectorXd>& values) {
    const auto before = static_cast<double>(sums_.n);
    ++sums_.n;
    // Of few values not even the spread is known.
    const double farthest = kFarthest + (before > 0.0 ? kDoubt / before : 0.0);
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      double value = values(k);
      if (sums_.squares(k) > 0.0) {  // what has been constant so far has no spread to go by
        const double most = farthest * std::sqrt(sums_.squares(k) / before);
        value = std::clamp(value, sums_.mean(k) - most, sums_.mean(k) + most);
      }
      const double distance = value - sums_.mean(k);
      sums_.mean(k) += distance / static_cast<double>(sums_.n);
      sums_.squares(k) += distance * (value - sums_.mean(k));
    }
  }

  const Eigen::VectorXd& mean() const { return sums_.mean; }

  /// Standard deviations; 0 for a constant column.
  Eigen::VectorXd spread() const {
    if (sums_.n < 2) return Eigen::VectorXd::Zero(sums_.mean.size());
    return (sums_.squares / static_cast<double>(sums_.n)).cwiseMax(0.0).cwiseSqrt();
  }

 private:
  static constexpr double kFarthest = 30.0;
  static constexpr double kDoubt = 100.0;

  Sums sums_;
};

}  // namespace splitgp
