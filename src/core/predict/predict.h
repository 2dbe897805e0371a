#pragma once

#include "core/predict/field.h"
#include "core/predict/predictor.h"
#include "splitgp/ahead.h"

namespace splitgp {

/// Sizes the result for the columns of X and fills it with the prior, the answer where nothing is
/// known.
void fill_with_prior(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X,
                     Prediction& result);

/// Algorithm 3, Predict, at the columns of X, each answered for when `ahead` says.
/// REQUIRES: the field has a local GP; fill_with_prior has made the result.
void predict(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, const Ahead& ahead,
             Prediction& result);

/// predict() at one x, as the next row, for a caller with exclusive access who may learn it next:
/// wakes the local GPs it asks, as wake() does, and returns whom x concerns.
Route predict_waking(const Field& field, Partition& partition,
                     const Eigen::Ref<const Eigen::VectorXd>& x, Prediction& result);

/// Algorithm 3 in parts, for local GPs that other processes hold: whom to ask about the columns of
/// X; what those here answer to predictor.questions; and the weighted averages of the answers.
void ask(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, Predictor& predictor);
void answer(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, Predictor& predictor);
void combine(const Field& field, const Eigen::Ref<const Eigen::MatrixXd>& X, const Ahead& ahead,
             Predictor& predictor, Prediction& result);

/// Each local GP's answer at x and its weight.
std::vector<LocalPrediction> explain(const Field& field,
                                     const Eigen::Ref<const Eigen::VectorXd>& x);

/// How many of the most similar local GPs are asked.
Eigen::Index n_asked(const Field& field);
/// How many a row concerns: its owner, and those that it is offered to, which would be asked at its
/// place, and the next one.
Eigen::Index n_concerned(const Field& field);

}  // namespace splitgp
