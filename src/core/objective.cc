#include "core/objective.h"

#include <Eigen/Cholesky>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/kernel.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// By the natural parameters; the mean's is by the mean itself, all others by logs.
struct Objective::Gradient {
  VectorXd length_scale;
  double signal_variance = 0.0;
  double noise_variance = 0.0;
  double shape = 0.0;
  VectorXd mean;
  VectorXd output_scale;
};

namespace {

// A⁻¹ of a lower triangular A in place, by halves: most of the work is matrix products.
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

Objective::Objective(const TrainingSet& set, KernelFamily family, const Hyperparameters& base,
                     const FixedHyperparameters& fixed)
    : set_(set), base_(base) {
  base_.kernel = family;
  const Index d = set.input_spread.size();
  const Index p = set.output_spread.size();
  if (p > 1 && !fixed.output_scale) {
    // The outputs' scales carry the units; the shared signal variance would be redundant.
    output_variance_ = 1.0;
    if (!fixed.signal_variance) base_.signal_variance = 1.0;
  } else {
    const VectorXd relative = set.output_spread.cwiseQuotient(base_.output_scale);
    output_variance_ = relative.squaredNorm() / static_cast<double>(p);
  }

  std::vector<double> lower, upper, mean, deviation;
  const auto add = [&](Part part, Index index, double low, double high, double center,
                       double width) {
    parameters_.push_back({part, index});
    lower.push_back(low);
    upper.push_back(high);
    mean.push_back(center);
    deviation.push_back(width);
  };
  const double log_root_d = 0.5 * std::log(static_cast<double>(d));
  if (!fixed.length_scale) {
    for (Index k = 0; k < d; ++k) {
      if (set.constant_input[static_cast<std::size_t>(k)]) continue;
      // Inputs at typical distances of √d spreads are neither all alike nor all unlike.
      add(Part::length_scale, k, std::log(1e-4), std::log(1e4), log_root_d, 3.0);
    }
  }
  const bool free_signal = !fixed.signal_variance && (p == 1 || fixed.output_scale);
  if (free_signal) add(Part::signal_variance, 0, std::log(1e-6), std::log(1e6), 0.0, 2.0);
  // 1e-8: below it the kernel matrix of smooth, noise-free data is singular in double precision.
  if (!fixed.noise_variance)
    add(Part::noise_variance, 0, std::log(1e-8), std::log(1e2), std::log(1e-2), 4.0);
  if (family == KernelFamily::rational_quadratic && !fixed.shape) {
    add(Part::shape, 0, std::log(1e-2), std::log(1e3), 0.0, 2.0);
  }
  for (Index o = 0; o < p; ++o) {
    if (!fixed.mean) add(Part::mean, o, -10.0, 10.0, 0.0, 2.0);
  }
  for (Index o = 0; o < p; ++o) {
    if (p > 1 && !fixed.output_scale)
      add(Part::output_scale, o, std::log(1e-3), std::log(1e3), 0.0, 2.0);
  }
  const Index n = std::ssize(parameters_);
  lower_ = VectorXd::Map(lower.data(), n);
  upper_ = VectorXd::Map(upper.data(), n);
  prior_mean_ = VectorXd::Map(mean.data(), n);
  prior_deviation_ = VectorXd::Map(deviation.data(), n);
}

void Objective::remember(const Hyperparameters& theta, double strength) {
  remembered_ = parameters(theta);
  memory_ = strength;
}

std::string Objective::name(Index i) const {
  const Parameter& parameter = parameters_[static_cast<std::size_t>(i)];
  const auto with_index = [&](std::string name) {
    return name.append("[").append(std::to_string(parameter.index)).append("]");
  };
  switch (parameter.part) {
    case Part::length_scale:
      return with_index("length_scale");
    case Part::signal_variance:
      return "signal_variance";
    case Part::noise_variance:
      return "noise_variance";
    case Part::shape:
      return "shape";
    case Part::mean:
      return with_index("mean");
    case Part::output_scale:
      return with_index("output_scale");
  }
  return "?";
}

VectorXd Objective::parameters(const Hyperparameters& theta) const {
  VectorXd result(size());
  for (Index i = 0; i < size(); ++i) {
    const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
    switch (part) {
      case Part::length_scale:
        result(i) = std::log(theta.length_scale(k) / set_.input_spread(k));
        break;
      case Part::signal_variance:
        result(i) = std::log(theta.signal_variance / output_variance_);
        break;
      case Part::noise_variance:
        result(i) = std::log(theta.noise_variance / output_variance_);
        break;
      case Part::shape:
        result(i) = std::log(theta.shape);
        break;
      case Part::mean:
        result(i) = (theta.mean(k) - set_.output_mean(k)) / set_.output_spread(k);
        break;
      case Part::output_scale:
        // θ may come from before: its signal variance goes into the scale.
        result(i) = std::log(theta.output_scale(k) / set_.output_spread(k)) +
                    0.5 * std::log(theta.signal_variance / base_.signal_variance);
        break;
    }
  }
  return result.cwiseMax(lower_).cwiseMin(upper_);
}

Hyperparameters Objective::theta(const VectorXd& parameters) const {
  Hyperparameters theta = base_;
  for (Index i = 0; i < size(); ++i) {
    const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
    const double value = parameters(i);
    switch (part) {
      case Part::length_scale:
        theta.length_scale(k) = set_.input_spread(k) * std::exp(value);
        break;
      case Part::signal_variance:
        theta.signal_variance = output_variance_ * std::exp(value);
        break;
      case Part::noise_variance:
        theta.noise_variance = output_variance_ * std::exp(value);
        break;
      case Part::shape:
        theta.shape = std::exp(value);
        break;
      case Part::mean:
        theta.mean(k) = set_.output_mean(k) + set_.output_spread(k) * value;
        break;
      case Part::output_scale:
        theta.output_scale(k) = set_.output_spread(k) * std::exp(value);
        break;
    }
  }
  return theta;
}

VectorXd Objective::start(double length_scale, double noise) const {
  VectorXd result = VectorXd::Zero(size());
  for (Index i = 0; i < size(); ++i) {
    const Part part = parameters_[static_cast<std::size_t>(i)].part;
    if (part == Part::length_scale) result(i) = std::log(length_scale);
    if (part == Part::noise_variance) result(i) = std::log(noise);
  }
  return result.cwiseMax(lower_).cwiseMin(upper_);
}

double Objective::value(const VectorXd& parameters, VectorXd* gradient) {
  const Hyperparameters theta = this->theta(parameters);
  Gradient natural;
  natural.length_scale = VectorXd::Zero(theta.length_scale.size());
  natural.mean = VectorXd::Zero(theta.mean.size());
  natural.output_scale = VectorXd::Zero(theta.mean.size());
  double sum = 0.0;
  for (const TrainingSet::Block& block : set_.blocks) {
    sum += block_value(block, theta, gradient == nullptr ? nullptr : &natural);
  }
  if (!std::isfinite(sum)) {
    if (gradient != nullptr) gradient->setZero(size());
    return -std::numeric_limits<double>::infinity();
  }
  if (gradient != nullptr) {
    gradient->resize(size());
    for (Index i = 0; i < size(); ++i) {
      const auto [part, k] = parameters_[static_cast<std::size_t>(i)];
      double& to = (*gradient)(i);
      switch (part) {
        case Part::length_scale:
          to = natural.length_scale(k);
          break;
        case Part::signal_variance:
          to = natural.signal_variance;
          break;
        case Part::noise_variance:
          to = natural.noise_variance;
          break;
        case Part::shape:
          to = natural.shape;
          break;
        case Part::mean:
          to = natural.mean(k) * set_.output_spread(k);
          break;
        case Part::output_scale:
          to = natural.output_scale(k);
          break;
      }
    }
  }
  sum += prior(parameters, gradient);
  const double n = static_cast<double>(set_.observations * theta.mean.size());
  if (gradient != nullptr) *gradient /= n;
  double result = sum / n;
  if (memory_ > 0.0) {
    const VectorXd step = parameters - remembered_;
    if (gradient != nullptr) *gradient -= memory_ * step;
    result -= 0.5 * memory_ * step.squaredNorm();
  }
  return result;
}

// Normal priors on the parameters: worth a few observations, they settle only what the data leave
// open.
double Objective::prior(const VectorXd& parameters, VectorXd* gradient) const {
  const VectorXd scaled = (parameters - prior_mean_).cwiseQuotient(prior_deviation_);
  if (gradient != nullptr) *gradient -= scaled.cwiseQuotient(prior_deviation_);
  return -0.5 * scaled.squaredNorm();
}

// log p(Y | X, θ) of one block: with R = (Y − mean)/output_scale, α = K⁻¹R and p outputs,
//   −½ Σ R∘α − p/2 log|K| − n Σ log output_scale − np/2 log 2π,
// and its derivative by any parameter of K: ½ Σ_ij (ααᵀ − p·K⁻¹)_ij · ∂K_ij.
double Objective::block_value(const TrainingSet::Block& block, const Hyperparameters& theta,
                              Gradient* gradient) {
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

  const MatrixXd R = (block.outputs.rowwise() - theta.mean.transpose()) *
                     theta.output_scale.cwiseInverse().asDiagonal();
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
