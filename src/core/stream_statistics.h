#pragma once

#include <Eigen/Core>

namespace splitgp {

/// Mean and spread of every column of a stream so far (Welford). O(columns) for each observation.
class StreamStatistics {
 public:
  explicit StreamStatistics(Eigen::Index columns)
      : mean_(Eigen::VectorXd::Zero(columns)), squares_(Eigen::VectorXd::Zero(columns)) {}

  void add(const Eigen::Ref<const Eigen::VectorXd>& values) {
    ++n_;
    // Squares of 1e150 stay finite; the quotient goes first.
    const Eigen::VectorXd before = values - mean_;
    mean_ += before / static_cast<double>(n_);
    squares_.array() += before.array() * (values - mean_).array();
  }

  const Eigen::VectorXd& mean() const { return mean_; }

  /// Standard deviations; 0 for a constant column.
  Eigen::VectorXd spread() const {
    if (n_ < 2) return Eigen::VectorXd::Zero(mean_.size());
    return (squares_ / static_cast<double>(n_)).cwiseMax(0.0).cwiseSqrt();
  }

  Eigen::Index count() const { return n_; }

 private:
  Eigen::Index n_ = 0;
  Eigen::VectorXd mean_;
  Eigen::VectorXd squares_;
};

}  // namespace splitgp
