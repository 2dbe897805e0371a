#include "core/train/fisher_information.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <vector>

#include "core/kernel/kernel.h"
#include "core/train/theta_derivatives.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::vector<Index> evenly_spaced(Index n, Index points) {
  std::vector<Index> rows;
  for (Index i = 0; i < points; ++i) rows.push_back(i * n / points);
  return rows;
}

}  // namespace

// For a parameter of K, F_ij = ½ tr(K⁻¹∂K_i K⁻¹∂K_j); an output's log scale s multiplies K by e^2s;
// and a mean has 1ᵀK⁻¹1 of its own.
MatrixXd fisher_information(const TrainingSet::Block& block, const Hyperparameters& theta,
                            const LengthScaleGroups& groups, Index points) {
  const std::vector<Index> rows =
      evenly_spaced(block.inputs.rows(), std::min(points, block.inputs.rows()));
  const Index n = std::ssize(rows);
  const ThetaOrder order{groups.size(), block.outputs.cols()};
  const Kernel kernel(theta);
  const MatrixXd U = block.inputs(rows, Eigen::all) * kernel.inverse_length_scale().asDiagonal();
  const VectorXd noise = block.noise_variance(rows);
  MatrixXd K(n, n), slope(n, n), shape_derivative = MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    const Eigen::ArrayXd r2 = (U.rowwise() - U.row(j))
                                  .rowwise()
                                  .squaredNorm()
                                  .array()
                                  .min(Kernel::kLargestSquaredDistance);
    kernel.derivatives(r2, K.col(j).array(), slope.col(j).array(), shape_derivative.col(j).array());
  }
  MatrixXd inverse = K;
  inverse.diagonal() += noise;
  inverse.diagonal().array() += theta.noise_variance;
  const Eigen::LLT<MatrixXd> llt(inverse);
  if (llt.info() != Eigen::Success) return {};
  inverse = llt.solve(MatrixXd::Identity(n, n));

  // K⁻¹∂K_i for every parameter of K, in the order of ThetaOrder.
  const Index of_kernel = order.length_scales + 3;
  std::vector<MatrixXd> relative(static_cast<std::size_t>(of_kernel));
  const auto at = [&](Index i) -> MatrixXd& { return relative[static_cast<std::size_t>(i)]; };
  MatrixXd derivative(n, n);
  Eigen::ArrayXd squared_distance(n);
  for (Index group = 0; group < groups.size(); ++group) {
    for (Index j = 0; j < n; ++j) {
      squared_distance.setZero();
      for (const Index k : groups.members(group))
        squared_distance += (U.col(k).array() - U(j, k)).square();
      derivative.col(j) = slope.col(j).array() * squared_distance;
    }
    at(group).noalias() = inverse * derivative;
  }
  at(order.signal_variance()).noalias() = inverse * K;
  at(order.noise_variance()) = theta.noise_variance * inverse;
  at(order.shape()).noalias() = inverse * shape_derivative;

  MatrixXd F = MatrixXd::Zero(order.size(), order.size());
  const auto p = static_cast<double>(order.outputs);
  for (Index i = 0; i < of_kernel; ++i) {
    const MatrixXd transposed = at(i).transpose();
    for (Index j = 0; j <= i; ++j) F(i, j) = 0.5 * p * transposed.cwiseProduct(at(j)).sum();
    for (Index o = 0; o < order.outputs; ++o) F(order.output_scale(o), i) = at(i).trace();
  }
  const double of_mean = inverse.sum();
  for (Index o = 0; o < order.outputs; ++o) {
    F(order.output_scale(o), order.output_scale(o)) = 2.0 * static_cast<double>(n);
    F(order.mean(o), order.mean(o)) = of_mean / (theta.output_scale(o) * theta.output_scale(o));
  }
  F.triangularView<Eigen::StrictlyUpper>() = F.transpose();
  return F / (static_cast<double>(n) * p);
}

}  // namespace splitgp
