#pragma once

#include <span>

#include "core/model/model_state.h"

namespace splitgp {

/// Sizes the result for the columns of X and fills it with the prior, the answer where nothing is
/// known.
void fill_with_prior(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
                     Prediction& result);

/// Algorithm 3, Predict, at the columns of X.
/// REQUIRES: the model has a local GP; fill_with_prior has made the result.
void predict(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
             Prediction& result);

/// Who was asked about an x, and the next one, most similar first; and what those who will learn it
/// have solved for it. Valid until this thread's next prediction.
struct Asked {
  std::span<const Neighbor> similar;
  std::span<const SolvedRow> solved;
};

/// predict() at one x, for a caller with exclusive access: wakes the local GPs it asks, as wake()
/// does.
Asked predict_waking(ModelState& model, const Eigen::Ref<const Eigen::VectorXd>& x,
                     Prediction& result);

/// Each local GP's answer at x and its weight.
std::vector<LocalPrediction> explain(const ModelState& model,
                                     const Eigen::Ref<const Eigen::VectorXd>& x);

/// How many of the most similar local GPs are asked.
Eigen::Index n_asked(const ModelState& model);

}  // namespace splitgp
