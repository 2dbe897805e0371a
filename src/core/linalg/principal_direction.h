#pragma once

#include <Eigen/Core>

namespace splitgp {

/// Unit vector of the largest variance of the rows of `centered` (n × d, mean 0); zero if all rows
/// are zero. Exact, O(min(n,d)²·max(n,d)).
Eigen::VectorXd principal_direction(const Eigen::Ref<const Eigen::MatrixXd>& centered);

/// The same without allocating, into a vector of d values that exists already; up to
/// kMostInPlace inputs. It rounds differently.
inline constexpr Eigen::Index kMostInPlace = 48;
void principal_direction_in_place(const Eigen::MatrixXd& centered, Eigen::VectorXd& direction);

/// Oja's rule with the step 1/n: v ← v·(n−1)/n + x·(xᵀv)/(n·‖v‖), so that ‖v‖ estimates the largest
/// eigenvalue of the covariance and no step size has to be chosen, in any units. O(d) per x.
class OjaDirection {
 public:
  /// `centered` is the newest input minus the mean of all so far.
  void follow(const Eigen::Ref<const Eigen::VectorXd>& centered);

  /// Zero if every input so far was the same.
  Eigen::VectorXd direction() const;
  std::size_t memory_bytes() const { return static_cast<std::size_t>(v_.size()) * sizeof(double); }

 private:
  double n_ = 0.0;
  Eigen::VectorXd v_;
};

}  // namespace splitgp
