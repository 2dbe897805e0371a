#pragma once

#include <Eigen/Core>

#include "rivals/method.h"
#include "rivals/rival_state.h"

/// What all rivals do in the same way, around the Method that distinguishes them. Inputs have been
/// checked.
namespace splitgp::rivals {

/// Learns the columns of X and Y in order, and trains where the schedule says so.
void learn(RivalState& model, Method& method, const Eigen::Ref<const Eigen::MatrixXd>& X,
           const Eigen::Ref<const Eigen::MatrixXd>& Y,
           const Eigen::Ref<const Eigen::VectorXd>& noise_variance);

/// Sets `result`; without observations to the prior.
void predict(const RivalState& model, const Method& method,
             const Eigen::Ref<const Eigen::MatrixXd>& X, Prediction& result);

/// Trains, whatever the schedule says.
TrainResult train_now(RivalState& model, Method& method);

/// Adopts a complete θ and refits.
void set_theta(RivalState& model, Method& method, Hyperparameters theta);

}  // namespace splitgp::rivals
