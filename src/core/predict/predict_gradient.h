#pragma once

#include "core/predict/field.h"
#include "splitgp/ahead.h"

namespace splitgp {

/// Sizes the result's derivatives for the columns of X and fills them with the prior's.
void fill_with_prior_gradient(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                              PredictionGradient& result);

/// predict() (core/predict/predict.h), with the same bits, and the derivatives of its means and
/// variances. REQUIRES: the field has a local GP; fill_with_prior and fill_with_prior_gradient have
/// made the result.
void predict_gradient(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                      const Ahead& ahead, PredictionGradient& result);

/// So that one query of this field, with or without gradients, allocates nothing on this thread.
void prepare_thread(const Field& field);

}  // namespace splitgp
