// What a local GP answers: Mean of the paper's Algorithm 3, and the variance.
#include <algorithm>
#include <limits>

#include "core/local_gp/local_gp.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

LocalGp::Posterior LocalGp::predict(const Eigen::Ref<const VectorXd>& x, Workspace& workspace,
                                    Eigen::Ref<VectorXd> mean) const {
  Posterior posterior;
  predict(x, workspace, mean, {&posterior, 1});
  return posterior;
}

void LocalGp::predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Workspace& workspace,
                      Eigen::Ref<Eigen::MatrixXd> means, std::span<Posterior> posteriors,
                      VectorXd* local_scales) const {
  if (dormant()) {
    return awake_copy().predict(X, workspace, means, posteriors, local_scales);
  }
  predict(X, workspace, means, posteriors, local_scales, nullptr);
}

// Leaves w = L⁻¹k in the workspace, and the kernel's slopes if they are asked for.
void LocalGp::predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Workspace& workspace,
                      Eigen::Ref<Eigen::MatrixXd> means, std::span<Posterior> posteriors,
                      VectorXd* local_scales, Workspace* slopes) const {
  if (local_scales != nullptr) {
    local_scales->resize(outputs_.cols());
    for (Index o = 0; o < outputs_.cols(); ++o) (*local_scales)(o) = local_scale(o);
  }
  const Hyperparameters& theta = theta_->values;
  const Index n = size();
  auto W = workspace.reserve(n, X.cols());
  for (Index i = 0; i < X.cols(); ++i) {
    theta_->kernel.squared_distances(inputs(), X.col(i), W.col(i));
    if (slopes != nullptr) slopes->reserve(n, X.cols()).col(i) = W.col(i);
    theta_->kernel.values_in_place(W.col(i).array());
    if (slopes != nullptr)
      theta_->kernel.slopes_in_place(W.col(i).array(), slopes->reserve(n, X.cols()).col(i).array());
  }
  factor_.solve_lower(W);
  // With w = L⁻¹k, the mean is kᵀK⁻¹(y − mean) = wᵀz and the variance k(x,x) − wᵀw: one solve for
  // both.
  const double least = std::numeric_limits<double>::epsilon() * theta.signal_variance;
  for (Index i = 0; i < X.cols(); ++i) {
    const auto w = W.col(i);
    for (Index o = 0; o < outputs_.cols(); ++o) {
      means(o, i) =
          theta_->prior_mean(o, X.col(i)) + theta.output_scale(o) * w.dot(solved_.col(o).head(n));
    }
    const double explained = w.squaredNorm();
    const double remaining = std::max(theta.signal_variance - explained, least);
    posteriors[static_cast<std::size_t>(i)] = {remaining, explained};
    if (theta_->prior_mean.falls_back())
      fall_back(X.col(i), means.col(i), posteriors[static_cast<std::size_t>(i)]);
  }
}

// Where this local GP knows little, the trend speaks for it, with the prior's variance.
void LocalGp::fall_back(const Eigen::Ref<const VectorXd>& x, Eigen::Ref<VectorXd> mean,
                        Posterior& posterior) const {
  const Hyperparameters& theta = theta_->values;
  const double trust =
      trust_in_posterior(posterior.variance / theta.signal_variance, theta.trend_reach);
  posterior.variance += (1.0 - trust) * posterior.explained;
  for (Index o = 0; o < mean.size(); ++o) {
    const double trend = theta_->prior_mean.trend(o, x);
    mean(o) = trend + trust * (mean(o) - trend);
  }
}

// The posterior mean of a scale that multiplies all variances here, in closed form: zᵀz has n
// degrees of freedom, and the prior counts as 20 more at 1.
double LocalGp::local_scale(Index output) const {
  constexpr double kBelief = 20.0;
  constexpr double kLargest = 1e100;  // beyond it the variances themselves would overflow
  const Index n = size();
  const double squares = solved_.col(output).head(n).squaredNorm();
  return std::min(kLargest, (kBelief + squares) / (kBelief + static_cast<double>(n)));
}

}  // namespace splitgp
