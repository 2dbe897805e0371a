#pragma once

#include <Eigen/Core>
#include <vector>

namespace splitgp {

/// result(k, v) = Σ_j weights(j, v) · (points(j, k) − x(k)) · scale(k)², in an order that depends
/// on nothing but the number of points (rows). Differences come first, because large offsets would
/// cancel otherwise. Weights may have any size; they are overwritten. O(n·d) for each column of
/// them
void weighted_differences(const Eigen::Ref<const Eigen::MatrixXd>& points,
                          const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::VectorXd& scale,
                          Eigen::Ref<Eigen::MatrixXd> weights, Eigen::Ref<Eigen::MatrixXd> result);

/// The same with buffers of its own, and much faster from kFewestWide columns on.
class WeightedDifferences {
 public:
  static constexpr Eigen::Index kFewestWide = 3;

  void sum(const Eigen::Ref<const Eigen::MatrixXd>& points,
           const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::VectorXd& scale,
           Eigen::Ref<Eigen::MatrixXd> weights, Eigen::Ref<Eigen::MatrixXd> result);
  /// So that n points allocate nothing.
  void reserve(Eigen::Index n);

 private:
  std::vector<double> weights_;      // of some columns side by side
  std::vector<double> differences_;  // of some inputs
};

}  // namespace splitgp
