#include "core/log_likelihood.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/prior_mean.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// A⁻¹ of a lower triangular A in place, by halves, so that most of the work is matrix products.
void invert_lower(Eigen::Ref<MatrixXd> A) {
  const Index n = A.rows();
  if (n <= 48) {
    for (Index j = 0; j < n; ++j) {
      A(j, j) = 1.0 / A(j, j);
      for (Index i = j + 1; i < n; ++i) {
        const double sum = A.row(i).segment(j, i - j).dot(A.col(j).segment(j, i - j));
        A(i, j) = -sum / A(i, i);
      }
    }
    return;
  }
  // [A 0; B C]⁻¹ = [A⁻¹ 0; −C⁻¹BA⁻¹ C⁻¹]
  const Index h = n / 2;
  auto B = A.bottomLeftCorner(n - h, h);
  A.bottomRightCorner(n - h, n - h).triangularView<Eigen::Lower>().solveInPlace(B);
  invert_lower(A.topLeftCorner(h, h));
  B = -(B * A.topLeftCorner(h, h).triangularView<Eigen::Lower>());
  invert_lower(A.bottomRightCorner(n - h, n - h));
}

}  // namespace

MatrixXd residuals(const TrainingSet::Block& block, const Hyperparameters& theta) {
  const PriorMean prior_mean(theta);
  MatrixXd R = block.outputs;
  for (Index o = 0; o < R.cols(); ++o) {
    for (Index j = 0; j < R.rows(); ++j) R(j, o) -= prior_mean(o, block.inputs.row(j));
  }
  return R * theta.output_scale.cwiseInverse().asDiagonal();
}

// log p(Y | X, θ) of one block: with R = (Y − prior mean)/output_scale, α = K⁻¹R and p outputs,
//   −½ Σ R∘α − p/2 log|K| − n Σ log output_scale − np/2 log 2π,
// and its derivative by any parameter of K: ½ Σ_ij (ααᵀ − p·K⁻¹)_ij · ∂K_ij.
double LogLikelihood::of(const TrainingSet::Block& block, const Hyperparameters& theta,
                         ThetaGradient* gradient) {
  const Index n = block.inputs.rows();
  const Index d = block.inputs.cols();
  const Index p = block.outputs.cols();
  const Kernel kernel(theta);

  squared_distance_.resize(n, n);
  for (Index j = 0; j < n; ++j) {
    kernel.squared_distances(block.inputs, block.inputs.row(j).transpose(),
                             squared_distance_.col(j).matrix());
  }
  Kernel::Derivatives& k = kernel_;
  if (gradient != nullptr) {
    kernel.derivatives(squared_distance_, k);
  } else {
    k.value = squared_distance_;
    kernel.values_in_place(k.value);
  }
  MatrixXd& K = factor_;
  K = k.value.matrix();
  K.diagonal() += block.noise_variance;
  K.diagonal().array() += theta.noise_variance;
  Eigen::LLT<Eigen::Ref<MatrixXd>> llt(K);
  if (llt.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();

  const MatrixXd R = residuals(block, theta);
  const MatrixXd alpha = llt.solve(R);
  const double log_root_determinant = K.diagonal().array().log().sum();  // K now holds L
  const double value = -0.5 * R.cwiseProduct(alpha).sum() -
                       static_cast<double>(p) * log_root_determinant -
                       static_cast<double>(n) * theta.output_scale.array().log().sum() -
                       0.5 * static_cast<double>(n * p) * std::log(2.0 * std::numbers::pi);
  if (gradient == nullptr) return value;

  // A = ααᵀ − p·K⁻¹, lower triangle, with K⁻¹ = L⁻ᵀL⁻¹.
  K.triangularView<Eigen::StrictlyUpper>().setZero();
  invert_lower(K);
  MatrixXd& A = weight_;
  A.setZero(n, n);
  A.selfadjointView<Eigen::Lower>().rankUpdate(K.transpose(), -static_cast<double>(p));
  A.selfadjointView<Eigen::Lower>().rankUpdate(alpha, 1.0);
  A.triangularView<Eigen::StrictlyUpper>() = A.transpose();

  gradient->noise_variance += 0.5 * theta.noise_variance * A.trace();
  gradient->signal_variance += 0.5 * (A.array() * k.value).sum();
  if (theta.kernel == KernelFamily::rational_quadratic) {
    gradient->shape += 0.5 * (A.array() * k.shape_derivative).sum();
  }
  // With H = A∘slope and u = x/ℓ:  ½ Σ_ij H_ij (u_i − u_j)² = Σ_i h_i u_i² − uᵀHu,  h = H·1.
  A.array() *= k.slope;
  const Eigen::RowVectorXd middle = block.inputs.colwise().mean();
  const MatrixXd U = (block.inputs.rowwise() - middle) * kernel.inverse_length_scale().asDiagonal();
  const VectorXd h = A.rowwise().sum();
  const MatrixXd HU = A * U;
  for (Index c = 0; c < d; ++c) {
    gradient->length_scale(c) += h.dot(U.col(c).cwiseAbs2()) - U.col(c).dot(HU.col(c));
  }
  gradient->mean +=
      (alpha.colwise().sum().transpose().array() / theta.output_scale.array()).matrix();
  gradient->output_scale +=
      (R.cwiseProduct(alpha).colwise().sum().transpose().array() - static_cast<double>(n)).matrix();
  return value;
}

}  // namespace splitgp
