#include "splitgp/splitting_gp.h"

#include <algorithm>
#include <utility>

#include "core/compiled_core.h"
#include "core/model_state.h"
#include "core/model_training.h"
#include "core/predict.h"
#include "core/validate.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

SplittingGp::SplittingGp(Index inputs, Index outputs, Options options) {
  if (inputs < 1)
    throw InvalidArgument("inputs is " + std::to_string(inputs) + "; it must be at least 1");
  if (outputs < 1)
    throw InvalidArgument("outputs is " + std::to_string(outputs) + "; it must be at least 1");
  check_options(options);
  const bool theta_given = options.hyperparameters.length_scale.size() > 0;
  if (options.kernel != KernelFamily::automatic) options.hyperparameters.kernel = options.kernel;
  options.hyperparameters = complete(std::move(options.hyperparameters), inputs, outputs);
  state_ = std::make_unique<ModelState>(inputs, outputs, std::move(options));
  state_->theta_given = theta_given;
}

SplittingGp::SplittingGp(std::unique_ptr<ModelState> state) : state_(std::move(state)) {}
SplittingGp::SplittingGp(const SplittingGp& other)
    : state_(std::make_unique<ModelState>(*other.state_)) {}
SplittingGp::SplittingGp(SplittingGp&&) noexcept = default;
SplittingGp& SplittingGp::operator=(SplittingGp other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
SplittingGp::~SplittingGp() = default;

UpdateResult SplittingGp::update(const Eigen::Ref<const VectorXd>& x,
                                 const Eigen::Ref<const VectorXd>& y, double noise_variance) {
  check_values("x", x, state_->inputs);
  check_values("y", y, state_->outputs);
  check_noise(Eigen::Map<const VectorXd>(&noise_variance, 1), 1);
  return core().update(*state_, {x, y, noise_variance, state_->next_sequence});
}

std::vector<UpdateResult> SplittingGp::update_batch(
    const Eigen::Ref<const Eigen::MatrixXd>& X, const Eigen::Ref<const Eigen::MatrixXd>& Y,
    const Eigen::Ref<const VectorXd>& noise_variance) {
  check_values("x", X, state_->inputs);
  check_values("y", Y, state_->outputs);
  if (X.cols() != Y.cols()) {
    throw InvalidArgument("y has " + std::to_string(Y.cols()) + " rows and x has " +
                          std::to_string(X.cols()));
  }
  check_noise(noise_variance, X.cols());
  std::vector<UpdateResult> results;
  results.reserve(static_cast<std::size_t>(X.cols()));
  for (Index i = 0; i < X.cols(); ++i) {
    const double noise = noise_variance.size() == 0 ? 0.0 : noise_variance(i);
    results.push_back(core().update(*state_, {X.col(i), Y.col(i), noise, state_->next_sequence}));
  }
  return results;
}

Prediction SplittingGp::predict(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  Prediction result;
  predict(X, result);
  return result;
}

void SplittingGp::predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Prediction& result) const {
  const ModelState& model = *state_;
  check_values("x", X, model.inputs);
  const Hyperparameters& theta = model.theta->values;
  result.mean.resize(model.outputs, X.cols());
  result.variance.resize(model.outputs, X.cols());
  result.noise_variance.resize(model.outputs, X.cols());
  for (Index o = 0; o < model.outputs; ++o) {
    const double squared_scale = theta.output_scale(o) * theta.output_scale(o);
    result.noise_variance.row(o).setConstant(theta.noise_variance * squared_scale);
    result.mean.row(o).setConstant(theta.mean(o));
    result.variance.row(o).setConstant(theta.signal_variance * squared_scale);
  }
  if (model.local_gps.empty()) return;
  core().predict(model, X, result);
}

Explanation SplittingGp::explain(const Eigen::Ref<const VectorXd>& x) const {
  const Prediction prediction = predict(x);
  Explanation result{prediction.mean, prediction.variance, prediction.noise_variance, {}};
  if (!state_->local_gps.empty()) result.local = core().explain(*state_, x);
  return result;
}

TrainResult SplittingGp::train() { return core().train_now(*state_); }

const std::vector<TrainResult>& SplittingGp::training_history() const {
  return state_->training_history;
}

void SplittingGp::finish_training() { core().finish_training(*state_); }

void SplittingGp::set_hyperparameters(Hyperparameters theta) {
  adopt(*state_, complete(std::move(theta), state_->inputs, state_->outputs));
}

const Hyperparameters& SplittingGp::hyperparameters() const { return state_->theta->values; }

Index SplittingGp::refit(Index most) {
  ModelState& model = *state_;
  for (Index done = 0; done < most && model.refit_cursor < n_local();)
    done += core().refit_next(model) ? 1 : 0;
  return std::count_if(model.local_gps.begin(), model.local_gps.end(),
                       [&](const LocalGp& local) { return !is_current(model, local); });
}

void SplittingGp::wake(const Eigen::Ref<const Eigen::MatrixXd>& X) {
  ModelState& model = *state_;
  check_values("x", X, model.inputs);
  if (!model.may_be_dormant) return;
  std::vector<Neighbor> neighbors;
  for (Index i = 0; i < X.cols(); ++i) {
    model.centers.most_similar(model.theta->kernel, X.col(i), speakers(model), neighbors);
    for (const Neighbor& neighbor : neighbors) {
      core().wake(model, neighbor.local_gp);
    }
  }
}

const Options& SplittingGp::options() const { return state_->options; }
Index SplittingGp::n_inputs() const { return state_->inputs; }
Index SplittingGp::n_outputs() const { return state_->outputs; }
std::uint64_t SplittingGp::n_observations() const { return state_->next_sequence; }
Index SplittingGp::n_local() const { return std::ssize(state_->local_gps); }
const std::vector<SplitRecord>& SplittingGp::split_history() const { return state_->split_history; }

std::vector<LocalGpSummary> SplittingGp::local_gps() const {
  std::vector<LocalGpSummary> result;
  result.reserve(state_->local_gps.size());
  for (const LocalGp& local : state_->local_gps) {
    const double ratio = local.factor().largest_pivot() / local.factor().smallest_pivot();
    result.push_back({std::ssize(result), local.center(), local.owned(), local.inherited(),
                      local.theta().values.version, local.jittered(), ratio * ratio,
                      local.memory_bytes()});
  }
  return result;
}

std::size_t SplittingGp::memory_bytes() const {
  const ModelState& model = *state_;
  const auto vectors_of = [](const Hyperparameters& theta) {
    return static_cast<std::size_t>(theta.length_scale.size() + theta.mean.size() +
                                    theta.output_scale.size()) *
           sizeof(double);
  };
  std::size_t bytes = sizeof(*this) + sizeof(ModelState) + model.centers.memory_bytes() +
                      model.split_history.capacity() * sizeof(SplitRecord) +
                      model.training_history.capacity() * sizeof(TrainResult);
  bytes += static_cast<std::size_t>(model.workspace.columns.size()) * sizeof(double);
  bytes += sizeof(Theta) + 2 * vectors_of(model.theta->values) +
           vectors_of(model.options.hyperparameters);
  for (const TrainResult& result : model.training_history) bytes += vectors_of(result.theta);
  for (const LocalGp& local : model.local_gps) bytes += local.memory_bytes();
  return bytes;
}

void SplittingGp::wake() {
  for (Index i = 0; i < n_local(); ++i) core().wake(*state_, i);
  state_->may_be_dormant = state_->awake_limit > 0;
}

void SplittingGp::set_awake_limit(Index limit) {
  if (limit < 0)
    throw InvalidArgument("awake_limit is " + std::to_string(limit) + "; it must be at least 0");
  splitgp::set_awake_limit(*state_, limit);
}

Index SplittingGp::awake_limit() const { return state_->awake_limit; }

void SplittingGp::set_threads(int threads) {
  Options changed = state_->options;
  changed.threads = threads;
  check_options(changed);
  state_->options = std::move(changed);
}

}  // namespace splitgp
