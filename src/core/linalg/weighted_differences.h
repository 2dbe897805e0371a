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

/// The same for many columns whose weights are those of a matrix times a factor of each point,
/// which alone changes from query to query: much faster from kFewest columns on.
class WeightedDifferences {
 public:
  static constexpr Eigen::Index kFewest = 3;

  /// First the size, then every column, then any number of sums.
  void begin(Eigen::Index n, Eigen::Index columns);
  void set_column(Eigen::Index v, const Eigen::Ref<const Eigen::VectorXd>& values);
  /// result(k, v) = Σ_j column(j, v) · factors(j) · (points(j, k) − x(k)) · scale(k)²
  void sum(const Eigen::Ref<const Eigen::MatrixXd>& points,
           const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::VectorXd& scale,
           const Eigen::Ref<const Eigen::VectorXd>& factors, Eigen::Ref<Eigen::MatrixXd> result);
  /// So that this size allocates nothing.
  void reserve(Eigen::Index n, Eigen::Index columns);

 private:
  Eigen::Index n_ = 0;
  Eigen::Index count_ = 0;
  std::vector<double> columns_;  // some side by side, as many as a register holds
  std::vector<double> units_;    // of each column
  std::vector<double> factors_;
  std::vector<double> differences_;  // of some inputs
};

}  // namespace splitgp
