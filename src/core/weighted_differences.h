#pragma once

#include <Eigen/Core>

namespace splitgp {

/// result(k, v) = Σ_j weights(j, v) · (points(j, k) − x(k)) · scale(k)², in an order that depends
/// on nothing but the number of points (rows). Differences come first, because large offsets would
/// cancel otherwise. Weights may have any size; they are overwritten. O(n·d) for each column of
/// them
void weighted_differences(const Eigen::Ref<const Eigen::MatrixXd>& points,
                          const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::VectorXd& scale,
                          Eigen::Ref<Eigen::MatrixXd> weights, Eigen::Ref<Eigen::MatrixXd> result);

}  // namespace splitgp
