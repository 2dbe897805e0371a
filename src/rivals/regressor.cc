#include "rivals/regressor.h"

#include <string>
#include <utility>

#include "core/base/columns.h"
#include "core/options/validate.h"
#include "rivals/compiled_rivals.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

Options training_options(const CommonOptions& common) {
  if (common.training == Training::background)
    throw InvalidArgument("training is \"background\"; for a rival it must be one of off, inline");
  Options options;
  options.kernel = common.kernel;
  options.training = common.training;
  options.training_observations = common.training_observations;
  options.fixed = common.fixed;
  options.hyperparameters = common.hyperparameters;
  if (options.hyperparameters) {  // no part of these methods
    options.hyperparameters->trend_slope = Vector();
    options.hyperparameters->trend_origin = Vector();
    options.hyperparameters->trend_range = Vector();
    options.hyperparameters->trend_reach = 0.0;
  }
  options.seed = common.seed;
  options.trend = Trend::none;
  check_options(options);
  return options;
}

}  // namespace

std::unique_ptr<Regressor::State> Regressor::State::make(Index inputs, Index outputs,
                                                         const CommonOptions& common,
                                                         const MakeMethod& make_method) {
  if (inputs < 1)
    throw InvalidArgument("inputs is " + std::to_string(inputs) + "; it must be at least 1");
  if (outputs < 1)
    throw InvalidArgument("outputs is " + std::to_string(outputs) + "; it must be at least 1");
  Options options = training_options(common);
  StreamHistory knowledge(inputs, outputs, starting_theta(options, inputs, outputs),
                          options.hyperparameters.has_value());
  auto state = std::make_unique<State>(State{{std::move(options), std::move(knowledge)}, nullptr});
  state->method = make_method(*state);
  return state;
}

Regressor::Regressor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Regressor::Regressor(Regressor&&) noexcept = default;
Regressor& Regressor::operator=(Regressor&&) noexcept = default;
Regressor::~Regressor() = default;

void Regressor::update_batch(MatrixView X, MatrixView Y, MatrixView noise_variance) {
  check_batch(X, Y, noise_variance, state_->inputs(), state_->outputs());
  const Eigen::Map<const VectorXd> given(noise_variance.data, noise_variance.rows);
  VectorXd noise = VectorXd::Zero(X.cols);
  if (given.size() > 0) noise = given;
  compiled_rivals().learn(*state_, *state_->method, columns(X), columns(Y), noise);
}

Prediction Regressor::predict(MatrixView X) const {
  check_values("x", columns(X), state_->inputs());
  Prediction result;
  compiled_rivals().predict(*state_, *state_->method, columns(X), result);
  return result;
}

TrainResult Regressor::train() { return compiled_rivals().train_now(*state_, *state_->method); }

const std::vector<TrainResult>& Regressor::training_history() const {
  return state_->knowledge.training_history;
}

void Regressor::set_hyperparameters(Hyperparameters theta) {
  compiled_rivals().set_theta(*state_, *state_->method,
                              complete(std::move(theta), state_->inputs(), state_->outputs()));
}

const Hyperparameters& Regressor::hyperparameters() const {
  return state_->knowledge.theta->values;
}
std::uint64_t Regressor::theta_version() const { return state_->knowledge.theta->version; }
Index Regressor::n_inputs() const { return state_->inputs(); }
Index Regressor::n_outputs() const { return state_->outputs(); }
std::uint64_t Regressor::n_observations() const { return state_->knowledge.observations; }
Index Regressor::n_local() const { return state_->method->n_local(); }

std::size_t Regressor::memory_bytes() const {
  const RivalState& model = *state_;
  const auto vectors_of = [](const Hyperparameters& theta) {
    return static_cast<std::size_t>(theta.length_scale.size() + theta.mean.size() +
                                    theta.output_scale.size()) *
           sizeof(double);
  };
  std::size_t bytes =
      sizeof(*this) + sizeof(State) + state_->method->memory_bytes() + sizeof(Theta) +
      2 * vectors_of(model.knowledge.theta->values) +
      2 * sizeof(double) * static_cast<std::size_t>(model.inputs() + model.outputs()) +
      model.knowledge.training_history.capacity() * sizeof(TrainResult);
  if (model.options.hyperparameters) bytes += vectors_of(*model.options.hyperparameters);
  for (const TrainResult& result : model.knowledge.training_history)
    bytes += vectors_of(result.theta);
  return bytes;
}

}  // namespace splitgp::rivals
