// The derivatives of what a local GP answers.
//
// With w = L⁻¹k, the mean is wᵀz and what is explained of the variance wᵀw. So their derivatives
// are (L⁻ᵀz)ᵀ dk and 2 (L⁻ᵀw)ᵀ dk: both backward substitutions are one pass over the factor.
#include <algorithm>
#include <limits>

#include "core/local_gp/local_gp.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void LocalGp::predict_gradient(const Eigen::Ref<const MatrixXd>& X, Workspace& workspace,
                               GradientWorkspace& gradient_workspace, Eigen::Ref<MatrixXd> means,
                               std::span<Posterior> posteriors, VectorXd* local_scales,
                               Eigen::Ref<MatrixXd> gradients) const {
  if (dormant()) {
    return awake_copy().predict_gradient(X, workspace, gradient_workspace, means, posteriors,
                                         local_scales, gradients);
  }
  predict(X, workspace, means, posteriors, local_scales, &gradient_workspace.slopes);

  const Hyperparameters& theta = theta_->values;
  const Index n = size();
  const Index d = inputs_.cols();
  const Index p = outputs_.cols();
  const auto W = workspace.reserve(n, X.cols());
  const auto slopes = gradient_workspace.slopes.reserve(n, X.cols());
  // L⁻ᵀw of each query and, unless it is known already, L⁻ᵀz of each output.
  const bool known = knows_backward();
  auto solved = gradient_workspace.solved.reserve(n, X.cols() + (known ? 0 : p));
  solved.leftCols(X.cols()) = W;
  if (!known) solved.rightCols(p) = solved_.topRows(n);
  factor_.solve_upper(solved);

  MatrixXd& weighted = gradient_workspace.weighted;
  MatrixXd& sums = gradient_workspace.sums;
  if (weighted.rows() < n || weighted.cols() != 1 + p)
    weighted.resize(std::max(weighted.rows(), n), 1 + p);
  if (sums.rows() != d || sums.cols() != 1 + p) sums.resize(d, 1 + p);
  const auto backward = [&](Index o) {
    return Eigen::Map<const VectorXd>(
        known ? backward_.columns.col(o).data() : solved.col(X.cols() + o).data(), n);
  };
  const VectorXd& scale = theta_->kernel.inverse_length_scale();
  WeightedDifferences& differences = gradient_workspace.differences;
  const bool many = 1 + p >= WeightedDifferences::kFewest;
  if (many) {
    differences.begin(n, 1 + p);
    for (Index o = 0; o < p; ++o) differences.set_column(1 + o, backward(o));
  }
  for (Index i = 0; i < X.cols(); ++i) {
    if (many) {
      differences.set_column(0, solved.col(i));
      differences.sum(inputs(), X.col(i), scale, slopes.col(i), sums);
    } else {
      auto columns = weighted.topRows(n);
      columns.col(0) = solved.col(i).cwiseProduct(slopes.col(i));
      for (Index o = 0; o < p; ++o) columns.col(1 + o) = backward(o).cwiseProduct(slopes.col(i));
      weighted_differences(inputs(), X.col(i), scale, columns, sums);
    }
    sums.col(0) *= 2.0;

    auto gradient = gradients.col(i);
    gradient.segment(GradientRows::kExplained * d, d) = sums.col(0);
    for (Index o = 0; o < p; ++o) {
      auto mean = gradient.segment((GradientRows::kMeans + o) * d, d);
      mean = theta.output_scale(o) * sums.col(1 + o);
      if (!theta_->prior_mean.has_slopes()) continue;
      for (Index k = 0; k < d; ++k) mean(k) = theta_->prior_mean.slope(o, k, X.col(i)) + mean(k);
    }
    const Posterior& posterior = posteriors[static_cast<std::size_t>(i)];
    const double least = std::numeric_limits<double>::epsilon() * theta.signal_variance;
    auto variance = gradient.segment(GradientRows::kVariance * d, d);
    if (theta.signal_variance - posterior.explained > least) {
      variance = -gradient.segment(GradientRows::kExplained * d, d);
    } else {
      variance.setZero();
    }
    if (theta_->prior_mean.falls_back())
      fall_back_gradient(X.col(i), W.col(i), posterior, gradient);
  }
}

// No local GP is a const object: they lie in a Partition.
void LocalGp::solve_backward() const {
  MatrixXd& columns = const_cast<LocalGp*>(this)->backward_.columns;
  if (columns.rows() < size() || columns.cols() != outputs_.cols())
    columns.resize(std::max(inputs_.rows(), size()), outputs_.cols());
  columns.topRows(size()) = solved_.topRows(size());
  factor_.solve_upper(columns.topRows(size()));
  const_cast<LocalGp*>(this)->backward_.version.store(factor_.version());
}

// The derivative of fall_back(), from that of the local GP's own answer.
void LocalGp::fall_back_gradient(const Eigen::Ref<const VectorXd>& x,
                                 const Eigen::Ref<const VectorXd>& w, const Posterior& posterior,
                                 Eigen::Ref<VectorXd> gradient) const {
  const Hyperparameters& theta = theta_->values;
  const Index d = inputs_.cols();
  const double least = std::numeric_limits<double>::epsilon() * theta.signal_variance;
  const double own_variance = std::max(theta.signal_variance - posterior.explained, least);
  const double trust = trust_in_posterior(own_variance / theta.signal_variance, theta.trend_reach);
  // trust = 1/(1 + u⁴) for u in proportion to the variance: d trust = −4 trust (1 − trust) du/u
  const double trust_slope = -4.0 * trust * (1.0 - trust) / own_variance;
  const auto explained = gradient.segment(GradientRows::kExplained * d, d);
  auto variance = gradient.segment(GradientRows::kVariance * d, d);
  for (Index o = 0; o < outputs_.cols(); ++o) {
    const double own =
        theta_->prior_mean(o, x) + theta.output_scale(o) * w.dot(solved_.col(o).head(size()));
    const double difference = own - theta_->prior_mean.trend(o, x);
    for (Index k = 0; k < d; ++k) {
      double& mean = gradient((GradientRows::kMeans + o) * d + k);
      const double trend = theta_->prior_mean.trend_slope(o, k, x);
      mean = trend + trust * (mean - trend) + trust_slope * variance(k) * difference;
    }
  }
  variance += (1.0 - trust) * explained - (trust_slope * posterior.explained) * variance;
}

}  // namespace splitgp
