#pragma once

#include <Eigen/Core>
#include <utility>

namespace splitgp {

/// Mean and spread of every column of a stream so far (Welford). O(columns) per observation.
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
    ++sums_.n;
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const double before = values(k) - sums_.mean(k);
      sums_.mean(k) += before / static_cast<double>(sums_.n);
      sums_.squares(k) += before * (values(k) - sums_.mean(k));
    }
  }

  const Eigen::VectorXd& mean() const { return sums_.mean; }

  /// Standard deviations; 0 for a constant column.
  Eigen::VectorXd spread() const {
    if (sums_.n < 2) return Eigen::VectorXd::Zero(sums_.mean.size());
    return (sums_.squares / static_cast<double>(sums_.n)).cwiseMax(0.0).cwiseSqrt();
  }

 private:
  Sums sums_;
};

}  // namespace splitgp
