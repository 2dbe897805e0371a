#include "core/train/log_likelihood.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/kernel/prior_mean.h"
#include "core/linalg/triangular.h"
#include "core/train/theta_derivatives.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd residuals(const TrainingSet::Block& block, const Hyperparameters& theta) {
  const PriorMean prior_mean(theta);
  MatrixXd R = block.outputs;
  for (Index o = 0; o < R.cols(); ++o) {
    for (Index j = 0; j < R.rows(); ++j) R(j, o) -= prior_mean(o, block.inputs.row(j));
  }
  return R * theta.output_scale.cwiseInverse().asDiagonal();
}

// K, the slopes and, for rational_quadratic, the derivatives by the shape, column by column while
// they are in the cache. Differences are taken between inputs counted from the block's middle, so
// that large offsets do not cancel.
void LogLikelihood::fill(const TrainingSet::Block& block, const Kernel& kernel,
                         Eigen::Map<MatrixXd> K) {
  const Index n = block.inputs.rows();
  const Index d = block.inputs.cols();
  const bool has_shape = kernel.family() == KernelFamily::rational_quadratic;
  const auto slope = slope_.use(n, n);
  const auto by_shape = has_shape ? shape_derivative_.use(n, n) : slope;
  auto scaled = scaled_.use(n, d + 1);
  scaled.leftCols(d) = (block.inputs.rowwise() - block.inputs.colwise().mean()) *
                       kernel.inverse_length_scale().asDiagonal();
  scaled.col(d).setOnes();
  auto squared_distance = squared_distance_.use(n, 1);
  for (Index j = 0; j < n; ++j) {
    auto r2 = squared_distance.col(0).head(n - j).array();
    const auto squared = [&](Index k) {
      return (scaled.col(k).tail(n - j).array() - scaled(j, k)).square();
    };
    Index k = 0;
    r2.setZero();
    for (; k + 4 <= d; k += 4) r2 += squared(k) + squared(k + 1) + squared(k + 2) + squared(k + 3);
    for (; k < d; ++k) r2 += squared(k);
    r2 = r2.min(Kernel::kLargestSquaredDistance);
    const auto column = [&](Eigen::Map<MatrixXd> matrix) {
      return matrix.col(j).tail(n - j).array();
    };
    kernel.derivatives(r2, column(K), column(slope), column(by_shape));
  }
}

// log p(Y | X, θ) of one block: with R = (Y − prior mean)/output_scale, α = K⁻¹R and p outputs,
//   −½ Σ R∘α − p/2 log|K| − n Σ log output_scale − np/2 log 2π.
double LogLikelihood::of(const TrainingSet::Block& block, const Hyperparameters& theta,
                         const LengthScaleGroups& groups, VectorXd* gradient) {
  const Index n = block.inputs.rows();
  const Index p = block.outputs.cols();
  const Kernel kernel(theta);
  auto K = factor_.use(n, n);
  if (gradient != nullptr) {
    fill(block, kernel, K);
  } else {
    kernel.lower_triangle(block.inputs, K);
  }
  K.diagonal() += block.noise_variance;
  K.diagonal().array() += theta.noise_variance;
  auto& L = K;
  if (!factorise_lower(L)) return -std::numeric_limits<double>::infinity();

  const MatrixXd R = residuals(block, theta);
  MatrixXd alpha = R;
  L.triangularView<Eigen::Lower>().solveInPlace(alpha);
  L.triangularView<Eigen::Lower>().transpose().solveInPlace(alpha);
  const double log_root_determinant = L.diagonal().array().log().sum();
  const double value = -0.5 * R.cwiseProduct(alpha).sum() -
                       static_cast<double>(p) * log_root_determinant -
                       static_cast<double>(n) * theta.output_scale.array().log().sum() -
                       0.5 * static_cast<double>(n * p) * std::log(2.0 * std::numbers::pi);
  if (gradient != nullptr) add_gradient(block, theta, groups, R, alpha, *gradient);
  return value;
}

// The derivative by any parameter of K is ½ Σ_ij A_ij · ∂K_ij with A = ααᵀ − p·K⁻¹.
void LogLikelihood::add_gradient(const TrainingSet::Block& block, const Hyperparameters& theta,
                                 const LengthScaleGroups& groups, const MatrixXd& R,
                                 const MatrixXd& alpha, VectorXd& gradient) {
  const Index n = block.inputs.rows();
  const Index d = block.inputs.cols();
  const ThetaOrder order{groups.size(), alpha.cols()};
  const auto p = static_cast<double>(order.outputs);
  auto A = weight_.use(n, n);
  auto L = factor_.use(n, n);
  const auto slope = slope_.use(n, n), scaled = scaled_.use(n, d + 1);
  invert_lower(L, A);
  transpose_times_self(L, A);  // K⁻¹ = L⁻ᵀL⁻¹

  const VectorXd noise = block.noise_variance.array() + theta.noise_variance;
  double trace = 0.0, noise_trace = 0.0, shape = 0.0;
  for (Index j = 0; j < n; ++j) {
    auto a = A.col(j).tail(n - j).array();
    a *= -p;
    for (Index o = 0; o < alpha.cols(); ++o) a += alpha(j, o) * alpha.col(o).tail(n - j).array();
    trace += a(0);
    noise_trace += noise(j) * a(0);
    if (theta.kernel == KernelFamily::rational_quadratic) {
      const auto by_shape = shape_derivative_.use(n, n).col(j).tail(n - j).array();
      shape += (a * by_shape).sum() - 0.5 * a(0) * by_shape(0);
    }
    a *= slope.col(j).tail(n - j).array();
    a(0) = 0.0;  // a point's distance from itself does not change
  }
  gradient(order.noise_variance()) += 0.5 * theta.noise_variance * trace;
  // Σ A∘K = Σ R∘α − pn, less what the noise has of it.
  gradient(order.signal_variance()) +=
      0.5 * (R.cwiseProduct(alpha).sum() - p * static_cast<double>(n) - noise_trace);
  gradient(order.shape()) += shape;
  // With H = A∘slope and u = x/ℓ:  ½ Σ_ij H_ij (u_i − u_j)² = Σ_i h_i u_i² − uᵀHu,  h = H·1.
  auto weighted = weighted_.use(n, d + 1);
  weighted.noalias() = A.selfadjointView<Eigen::Lower>() * scaled;
  for (Index k = 0; k < d; ++k) {
    gradient(order.length_scale(groups.of(k))) +=
        weighted.col(d).dot(scaled.col(k).cwiseAbs2()) - scaled.col(k).dot(weighted.col(k));
  }
  for (Index o = 0; o < order.outputs; ++o) {
    gradient(order.mean(o)) += alpha.col(o).sum() / theta.output_scale(o);
    gradient(order.output_scale(o)) += R.col(o).dot(alpha.col(o)) - static_cast<double>(n);
  }
}

}  // namespace splitgp
