#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/model_state.h"
#include "core/model_training.h"
#include "core/validate.h"
#include "rivals/method.h"
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

TrainResult train_method(ModelState& model, Method& method, bool search) {
  const TrainingSet set = method.training_set(model);
  const TrainResult& result = record(model, splitgp::train(set, training_plan(model, set, search)));
  if (result.adopted) method.refit(model.theta);
  return result;
}

// How many more observations until the schedule may act.
Index until_training(const ModelState& model) {
  if (model.options.training == Training::off) return std::numeric_limits<Index>::max();
  const std::uint64_t next = model.schedule.marks().next;
  // Before the first training core may adapt θ to the scale of the data with any observation.
  if (!model.schedule.ever_trained() || next <= model.next_sequence) return 1;
  return static_cast<Index>(next - model.next_sequence);
}

void train_if_due(ModelState& model, Method& method) {
  if (model.options.training == Training::off) return;
  if (model.schedule.due(model.next_sequence)) {
    train_method(model, method, model.schedule.search_due(model.next_sequence));
    return;
  }
  const std::uint64_t version = model.theta->values.version;
  splitgp::train_if_due(model);  // not due: at most core's own care for a θ that is not trained yet
  if (model.theta->values.version != version) method.refit(model.theta);
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

  // Trainings fall between the same observations as if they came one by one.
  for (Index first = 0; first < X.cols();) {
    const Index b = std::min(X.cols() - first, until_training(model));
    std::vector<std::uint64_t> sequence(static_cast<std::size_t>(b));
    std::iota(sequence.begin(), sequence.end(), model.next_sequence);
    method_->learn({X.middleCols(first, b), Y.middleCols(first, b), noise.segment(first, b),
                    std::move(sequence)});
    for (Index i = first; i < first + b; ++i) {
      model.input_statistics.add(X.col(i));
      model.output_statistics.add(Y.col(i));
    }
    model.next_sequence += static_cast<std::uint64_t>(b);
    first += b;
    train_if_due(model, *method_);
  }
}

Prediction Regressor::predict(const Eigen::Ref<const MatrixXd>& X) const {
  const ModelState& model = *state_;
  check_values("x", X, model.inputs);
  const Hyperparameters& theta = model.theta->values;
  const VectorXd squared_scale = theta.output_scale.array().square();
  Prediction result{theta.mean.replicate(1, X.cols()),
                    (theta.signal_variance * squared_scale).replicate(1, X.cols()),
                    (theta.noise_variance * squared_scale).replicate(1, X.cols())};
  if (method_->n_local() > 0 && X.cols() > 0) method_->predict(X, result);
  return result;
}

TrainResult Regressor::train() { return train_method(*state_, *method_, true); }

const std::vector<TrainResult>& Regressor::training_history() const {
  return state_->training_history;
}

void Regressor::set_hyperparameters(Hyperparameters theta) {
  adopt(*state_, complete(std::move(theta), state_->inputs, state_->outputs));
  method_->refit(state_->theta);
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
