#include "splitgp/splitting_gp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/aggregate.h"
#include "core/model_state.h"
#include "core/model_training.h"
#include "core/parallel.h"
#include "core/split.h"
#include "core/validate.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Algorithm 2, Update.
UpdateResult update_one(ModelState& model, const Observation& observation) {
  UpdateResult result;
  result.sequence = observation.sequence;

  // If C = 0: the first observation makes the first local GP.
  if (model.local_gps.empty()) {
    model.local_gps.emplace_back(model.inputs, model.outputs, model.theta, model.options);
    model.centers.set(0, observation.x);
  }

  // I ← argmax_i k(x, c_i)
  const Index I = model.centers.most_similar(model.theta->kernel, observation.x, model.workspace);
  LocalGp& local = model.local_gps[static_cast<std::size_t>(I)];
  result.local_gp = I;
  if (is_current(model, local)) {
    local.wake();
  } else {
    local.refit(model.theta);
    ++result.refits;
  }

  // Append (x, y) to local GP I and move its center; an inherited point makes room.
  result.jitter = local.append(observation, model.workspace);
  if (local.size() > Index{model.options.split_limit} + 1) {
    result.displaced = local.displace();
  }

  // If n_I > m: Split.
  if (local.owned() > model.options.split_limit) {
    LocalGp second = split(local);
    const Index new_local_gp = std::ssize(model.local_gps);
    model.split_history.push_back(
        {observation.sequence, I, new_local_gp, local.owned(), second.owned()});
    model.centers.set(new_local_gp, second.center());
    model.centers.set(I, local.center());
    // The newest observation is the last row of the child that kept it.
    const Index last = second.size() - 1;
    if (second.sequence(last) == observation.sequence && second.owns(last))
      result.local_gp = new_local_gp;
    model.local_gps.push_back(std::move(second));
    result.new_local_gp = new_local_gp;
  } else {
    model.centers.set(I, local.center());
  }

  // A new θ reaches everyone in time, at most one refit with each update.
  if (result.refits == 0 && refit_next(model)) ++result.refits;

  ++model.next_sequence;
  model.input_statistics.add(observation.x);
  model.output_statistics.add(observation.y);
  result.trained = train_if_due(model);
  return result;
}

// How many of the most similar local GPs speak.
Index speakers(const ModelState& model) {
  const Index all = model.centers.size();
  if (model.options.aggregation == Aggregation::nearest) return std::min<Index>(1, all);
  return model.options.neighbors == 0 ? all : std::min<Index>(model.options.neighbors, all);
}

// What one thread needs to predict.
struct PredictWorkspace {
  Workspace local;
  std::vector<Neighbor> neighbors;
  std::vector<Candidate> candidates;
  std::vector<double> weights;
  Eigen::MatrixXd means;  // outputs × candidates
};

// Algorithm 3, Predict: who speaks, what they say (workspace.means, .candidates), and their
// weights.
void predict_locally(const ModelState& model, const Eigen::Ref<const VectorXd>& x,
                     PredictWorkspace& workspace) {
  const Options& options = model.options;
  const Kernel& kernel = model.theta->kernel;
  const Index speaking = speakers(model);

  // s_i ← k(x, c_i), with the first one who may not speak, to fade towards.
  model.centers.most_similar(kernel, x, speaking + 1, workspace.local, workspace.neighbors);
  double outsider = -std::numeric_limits<double>::infinity();
  if (std::ssize(workspace.neighbors) > speaking) {
    outsider = kernel.log_similarity(workspace.neighbors.back().squared_distance);
    workspace.neighbors.pop_back();
  }

  // E_i ← Mean((X_i, Y_i, c_i), x), and the variance.
  workspace.means.resize(model.outputs, speaking);
  workspace.candidates.clear();
  for (Index i = 0; i < speaking; ++i) {
    const Neighbor& neighbor = workspace.neighbors[static_cast<std::size_t>(i)];
    const LocalGp& local = model.local_gps[static_cast<std::size_t>(neighbor.local_gp)];
    const LocalGp::Posterior posterior = local.predict(x, workspace.local, workspace.means.col(i));
    workspace.candidates.push_back({kernel.log_similarity(neighbor.squared_distance), posterior});
  }
  aggregation_weights(workspace.candidates, outsider, options, workspace.weights);
}

// ŷ ← Σ w_i E_i, with standard deviation Σ w_i σ_i: the children of one parent carry the same
// function, so their errors are taken as fully correlated, which is an upper bound under any
// correlation.
void combine(const ModelState& model, const PredictWorkspace& workspace, Eigen::Ref<VectorXd> mean,
             Eigen::Ref<VectorXd> variance) {
  mean.setZero();
  double deviation = 0.0;
  for (std::size_t i = 0; i < workspace.weights.size(); ++i) {
    mean += workspace.weights[i] * workspace.means.col(static_cast<Index>(i));
    deviation += workspace.weights[i] * std::sqrt(workspace.candidates[i].posterior.variance);
  }
  variance = (deviation * model.theta->values.output_scale).array().square();
}

VectorXd noise_of(const ModelState& model) {
  return model.theta->values.noise_variance * model.theta->values.output_scale.array().square();
}

}  // namespace

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
  check_noise(VectorXd::Constant(1, noise_variance), 1);
  return update_one(*state_, {x, y, noise_variance, state_->next_sequence});
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
    results.push_back(update_one(*state_, {X.col(i), Y.col(i), noise, state_->next_sequence}));
  }
  return results;
}

Prediction SplittingGp::predict(const Eigen::Ref<const Eigen::MatrixXd>& X) const {
  const ModelState& model = *state_;
  check_values("x", X, model.inputs);
  Prediction result;
  result.noise_variance = noise_of(model).replicate(1, X.cols());
  if (model.local_gps.empty()) {
    const Hyperparameters& theta = model.theta->values;
    result.mean = theta.mean.replicate(1, X.cols());
    result.variance = (theta.signal_variance * theta.output_scale.array().square())
                          .matrix()
                          .replicate(1, X.cols());
    return result;
  }
  result.mean.resize(model.outputs, X.cols());
  result.variance.resize(model.outputs, X.cols());
  parallel_ranges(X.cols(), model.options.threads, [&](Index first, Index last) {
    PredictWorkspace workspace;
    for (Index i = first; i < last; ++i) {
      predict_locally(model, X.col(i), workspace);
      combine(model, workspace, result.mean.col(i), result.variance.col(i));
    }
  });
  return result;
}

Explanation SplittingGp::explain(const Eigen::Ref<const VectorXd>& x) const {
  const ModelState& model = *state_;
  const Prediction prediction = predict(x);
  Explanation result{prediction.mean, prediction.variance, prediction.noise_variance, {}};
  if (model.local_gps.empty()) return result;
  PredictWorkspace workspace;
  predict_locally(model, x, workspace);
  const auto squared_scale = model.theta->values.output_scale.array().square();
  for (std::size_t i = 0; i < workspace.weights.size(); ++i) {
    const Candidate& candidate = workspace.candidates[i];
    result.local.push_back({workspace.neighbors[i].local_gp, candidate.log_similarity,
                            workspace.weights[i], workspace.means.col(static_cast<Index>(i)),
                            candidate.posterior.variance * squared_scale});
  }
  return result;
}

TrainResult SplittingGp::train() { return train_now(*state_); }

const std::vector<TrainResult>& SplittingGp::training_history() const {
  return state_->training_history;
}

void SplittingGp::finish_training() { splitgp::finish_training(*state_); }

void SplittingGp::set_hyperparameters(Hyperparameters theta) {
  adopt(*state_, complete(std::move(theta), state_->inputs, state_->outputs));
}

const Hyperparameters& SplittingGp::hyperparameters() const { return state_->theta->values; }

Index SplittingGp::refit(Index most) {
  ModelState& model = *state_;
  for (Index done = 0; done < most && model.refit_cursor < n_local();)
    done += refit_next(model) ? 1 : 0;
  return std::count_if(model.local_gps.begin(), model.local_gps.end(),
                       [&](const LocalGp& local) { return !is_current(model, local); });
}

void SplittingGp::wake(const Eigen::Ref<const Eigen::MatrixXd>& X) {
  ModelState& model = *state_;
  check_values("x", X, model.inputs);
  if (!model.may_be_dormant) return;
  std::vector<Neighbor> neighbors;
  for (Index i = 0; i < X.cols(); ++i) {
    model.centers.most_similar(model.theta->kernel, X.col(i), speakers(model), model.workspace,
                               neighbors);
    for (const Neighbor& neighbor : neighbors) {
      model.local_gps[static_cast<std::size_t>(neighbor.local_gp)].wake();
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
                      model.training_history.capacity() * sizeof(TrainResult) +
                      (model.local_gps.capacity() - model.local_gps.size()) * sizeof(LocalGp);
  bytes +=
      static_cast<std::size_t>(model.workspace.column.size() + model.workspace.distance.size()) *
      sizeof(double);
  bytes += sizeof(Theta) + 2 * vectors_of(model.theta->values) +
           vectors_of(model.options.hyperparameters);
  for (const TrainResult& result : model.training_history) bytes += vectors_of(result.theta);
  for (const LocalGp& local : model.local_gps) bytes += local.memory_bytes();
  return bytes;
}

}  // namespace splitgp
