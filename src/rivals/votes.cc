#include "rivals/votes.h"

#include <limits>

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Calls say(vote, μ_k − prior mean, σ_k²) for every vote.
template <typename Say>
void hear(const std::vector<ExactGp>& parts, const Votes& votes,
          const Eigen::Ref<const MatrixXd>& X, const VectorXd& prior_mean, const Say& say) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (votes[k].empty()) continue;
    MatrixXd queries(X.rows(), std::ssize(votes[k]));
    for (Index i = 0; i < queries.cols(); ++i) {
      queries.col(i) = X.col(votes[k][static_cast<std::size_t>(i)].query);
    }
    const ExactGp::Posterior posterior = parts[k].predict(queries);
    for (Index i = 0; i < queries.cols(); ++i) {
      const VectorXd difference = posterior.mean.col(i) - prior_mean;
      say(votes[k][static_cast<std::size_t>(i)], difference, posterior.variance(i));
    }
  }
}

}  // namespace

void predict_mixture(const std::vector<ExactGp>& parts, const Votes& votes,
                     const Eigen::Ref<const MatrixXd>& X, const Hyperparameters& theta,
                     Prediction& result) {
  const VectorXd squared_scale = theta.output_scale.array().square();
  MatrixXd mean = MatrixXd::Zero(result.mean.rows(), X.cols());
  MatrixXd square = mean;  // second moment about the prior mean
  hear(parts, votes, X, theta.mean, [&](const Vote& vote, const VectorXd& d, double variance) {
    mean.col(vote.query) += vote.weight * d;
    square.col(vote.query) += vote.weight * (variance * squared_scale + d.cwiseAbs2());
  });
  // A rounded difference of moments may fall below any possible variance.
  const VectorXd least =
      std::numeric_limits<double>::epsilon() * theta.signal_variance * squared_scale;
  result.variance = (square - mean.cwiseAbs2()).cwiseMax(least.replicate(1, X.cols()));
  result.mean = mean.colwise() + theta.mean;
}

void predict_product(const std::vector<ExactGp>& parts, const Votes& votes,
                     const Eigen::Ref<const MatrixXd>& X, const Hyperparameters& theta,
                     Prediction& result) {
  const VectorXd squared_scale = theta.output_scale.array().square();
  MatrixXd sum = MatrixXd::Zero(result.mean.rows(), X.cols());
  VectorXd precision = VectorXd::Zero(X.cols());
  hear(parts, votes, X, theta.mean, [&](const Vote& vote, const VectorXd& d, double variance) {
    precision(vote.query) += vote.weight / variance;
    sum.col(vote.query) += vote.weight / variance * d;
  });
  for (Index i = 0; i < X.cols(); ++i) {
    result.mean.col(i) = theta.mean + sum.col(i) / precision(i);
    result.variance.col(i) = squared_scale / precision(i);
  }
}

}  // namespace splitgp::rivals
