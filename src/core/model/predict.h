#pragma once

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

/// predict() at one x, for a caller with exclusive access who may learn it next: wakes the local
/// GPs it asks, as wake() does, and returns whom x concerns.
Route predict_waking(ModelState& model, const Eigen::Ref<const Eigen::VectorXd>& x,
                     Prediction& result);

/// Each local GP's answer at x and its weight.
std::vector<LocalPrediction> explain(const ModelState& model,
                                     const Eigen::Ref<const Eigen::VectorXd>& x);

/// How many of the most similar local GPs are asked.
Eigen::Index n_asked(const ModelState& model);
/// How many a row concerns: its owner, and those that it is offered to, which would be asked at its
/// place, and the next one.
Eigen::Index n_concerned(const ModelState& model);

}  // namespace splitgp
