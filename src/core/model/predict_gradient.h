#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// Sizes the result's derivatives for the columns of X and fills them with the prior's.
void fill_with_prior_gradient(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
                              PredictionGradient& result);

/// predict() (core/model/predict.h), with the same bits, and the derivatives of its means and
/// variances. REQUIRES: the model has a local GP; fill_with_prior and fill_with_prior_gradient have
/// made the result.
void predict_gradient(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
                      PredictionGradient& result);

/// So that one query of this model, with or without gradients, allocates nothing on this thread.
void prepare_thread(const ModelState& model);

}  // namespace splitgp
