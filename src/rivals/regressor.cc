#include <string>
#include <utility>

#include "core/model_state.h"
#include "core/validate.h"
#include "rivals/compiled_rivals.h"
#include "splitgp/rivals.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::unique_ptr<ModelState> make_state(Index inputs, Index outputs, const CommonOptions& common) {
  if (inputs < 1)
    throw InvalidArgument("inputs is " + std::to_string(inputs) + "; it must be at least 1");
  if (outputs < 1)
    throw InvalidArgument("outputs is " + std::to_string(outputs) + "; it must be at least 1");
  if (common.training == Training::background)
    throw InvalidArgument("training is \"background\"; a rival's must be one of off, inline");
  Options options;
  options.kernel = common.kernel;
  options.training = common.training;
  options.training_observations = common.training_observations;
  options.fixed = common.fixed;
  options.seed = common.seed;
  check_options(options);
  Hyperparameters theta = common.hyperparameters;
  const bool theta_given = theta.length_scale.size() > 0;
  if (common.kernel != KernelFamily::automatic) theta.kernel = common.kernel;
  options.hyperparameters = complete(std::move(theta), inputs, outputs);
  auto state = std::make_unique<ModelState>(inputs, outputs, std::move(options));
  state->theta_given = theta_given;
  return state;
}

}  // namespace

Regressor::Regressor(Index inputs, Index outputs, const CommonOptions& options,
                     const MakeMethod& make_method)
    : state_(make_state(inputs, outputs, options)), method_(make_method(*state_)) {}
Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;
Regressor::~Regressor() = default;

void Regressor::update(const Eigen::Ref<const VectorXd>& x, const Eigen::Ref<const VectorXd>& y,
                       double noise_variance) {
  update_batch(x, y, VectorXd::Constant(1, noise_variance));
}

void Regressor::update_batch(const Eigen::Ref<const MatrixXd>& X,
                             const Eigen::Ref<const MatrixXd>& Y,
                             const Eigen::Ref<const VectorXd>& noise_variance) {
  ModelState& model = *state_;
  check_values("x", X, model.inputs);
  check_values("y", Y, model.outputs);
  if (X.cols() != Y.cols()) {
    throw InvalidArgument("y has " + std::to_string(Y.cols()) + " rows and x has " +
                          std::to_string(X.cols()));
  }
  check_noise(noise_variance, X.cols());
  VectorXd noise = VectorXd::Zero(X.cols());
  if (noise_variance.size() > 0) noise = noise_variance;

  compiled_rivals().learn(model, *method_, X, Y, noise);
}

Prediction Regressor::predict(const Eigen::Ref<const MatrixXd>& X) const {
  check_values("x", X, state_->inputs);
  Prediction result;
  compiled_rivals().predict(*state_, *method_, X, result);
  return result;
}

TrainResult Regressor::train() { return compiled_rivals().train_now(*state_, *method_); }

const std::vector<TrainResult>& Regressor::training_history() const {
  return state_->training_history;
}

void Regressor::set_hyperparameters(Hyperparameters theta) {
  compiled_rivals().set_theta(*state_, *method_,
                              complete(std::move(theta), state_->inputs, state_->outputs));
}

const Hyperparameters& Regressor::hyperparameters() const { return state_->theta->values; }
Index Regressor::n_inputs() const { return state_->inputs; }
Index Regressor::n_outputs() const { return state_->outputs; }
std::uint64_t Regressor::n_observations() const { return state_->next_sequence; }
Index Regressor::n_local() const { return method_->n_local(); }

std::size_t Regressor::memory_bytes() const {
  const ModelState& model = *state_;
  const auto vectors_of = [](const Hyperparameters& theta) {
    return static_cast<std::size_t>(theta.length_scale.size() + theta.mean.size() +
                                    theta.output_scale.size()) *
           sizeof(double);
  };
  std::size_t bytes = sizeof(*this) + sizeof(ModelState) + method_->memory_bytes() + sizeof(Theta) +
                      2 * vectors_of(model.theta->values) +
                      vectors_of(model.options.hyperparameters) +
                      2 * sizeof(double) * static_cast<std::size_t>(model.inputs + model.outputs) +
                      model.training_history.capacity() * sizeof(TrainResult);
  for (const TrainResult& result : model.training_history) bytes += vectors_of(result.theta);
  return bytes;
}

}  // namespace splitgp::rivals
