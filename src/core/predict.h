#pragma once

#include "core/model_state.h"

namespace splitgp {

/// Algorithm 3, Predict, at the columns of X into result.mean and result.variance, which have their
/// sizes.  REQUIRES: the model has a local GP.
void predict(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
             Prediction& result);

/// The same at one x, by somebody who has the model alone: wakes who is asked, as wake() does, and
/// returns the most similar local GP.
Eigen::Index predict_waking(ModelState& model, const Eigen::Ref<const Eigen::VectorXd>& x,
                            Prediction& result);

/// What each local GP says at x, and its weight.
std::vector<LocalPrediction> explain(const ModelState& model,
                                     const Eigen::Ref<const Eigen::VectorXd>& x);

/// How many of the most similar local GPs are asked.
Eigen::Index n_asked(const ModelState& model);

}  // namespace splitgp
