#pragma once

#include <Eigen/Core>
#include <vector>

#include "rivals/exact_gp.h"
#include "splitgp/results.h"

namespace splitgp::rivals {

/// A part's weight at one query.
struct Vote {
  Eigen::Index query = 0;
  double weight = 0.0;
};

/// The queries each part takes part in, so that it predicts them all in one go. The weights of a
/// query sum to 1.
using Votes = std::vector<std::vector<Vote>>;

/// The mixture Σ w_k N(μ_k, σ_k²): its mean, and its variance Σ w_k (σ_k² + (μ_k − μ)²).
void predict_mixture(const std::vector<ExactGp>& parts, const Votes& votes,
                     const Eigen::Ref<const Eigen::MatrixXd>& X, const Hyperparameters& theta,
                     Prediction& result);

/// The generalised product Π N(μ_k, σ_k²)^w_k: 1/σ² = Σ w_k/σ_k² and μ = σ² Σ w_k μ_k/σ_k².
void predict_product(const std::vector<ExactGp>& parts, const Votes& votes,
                     const Eigen::Ref<const Eigen::MatrixXd>& X, const Hyperparameters& theta,
                     Prediction& result);

}  // namespace splitgp::rivals
