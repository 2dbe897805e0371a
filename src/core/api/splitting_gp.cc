#include "splitgp/splitting_gp.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/api/internals.h"
#include "core/base/columns.h"
#include "core/model/bound_latency.h"
#include "core/model/compiled_core.h"
#include "core/model/forget.h"
#include "core/options/validate.h"
#include "core/partition/renewing.h"
#include "core/partition/waking.h"
#include "core/predict/predict.h"
#include "core/predict/predict_gradient.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Times matter only if something is ever too old.
void check_times(const ModelState& model, const Eigen::Ref<const VectorXd>& times, Index rows) {
  if (!(model.options.max_age > 0.0)) return;
  if (times.size() != rows) {
    throw InvalidArgument("time has " + std::to_string(times.size()) + " values; max_age needs " +
                          std::to_string(rows));
  }
  double latest =
      model.retention.expiry.empty() ? -kLargestMagnitude : model.retention.expiry.newest().time;
  for (Index row = 0; row < rows; ++row) {
    const double time = times(row);
    if (!(std::abs(time) <= kLargestMagnitude)) {
      throw InvalidArgument("time of row " + std::to_string(row) +
                            " is missing or not finite; max_age needs one for every observation");
    }
    if (time < latest) {
      throw InvalidArgument("time of row " + std::to_string(row) + " is " + std::to_string(time) +
                            ", before the last one, " + std::to_string(latest) +
                            "; with max_age times must not decrease");
    }
    latest = time;
  }
}

void check_observation(const ModelState& model, const MatrixView& x, const MatrixView& y,
                       double noise_variance, double time) {
  check_values("x", columns(x), model.inputs);
  check_values("y", columns(y), model.outputs);
  check_noise(Eigen::Map<const VectorXd>(&noise_variance, 1), 1);
  check_times(model, Eigen::Map<const VectorXd>(&time, 1), 1);
}

}  // namespace

void Internals::check_usable(const SplittingGp& model) {
  if (model.state_->unusable == nullptr) return;
  throw UnusableModel("the model cannot be used any more: " + std::string(model.state_->unusable) +
                      "; open its file again, which is as of the last checkpoint");
}

SplittingGp::SplittingGp(Index inputs, Index outputs, Options options) {
  if (inputs < 1)
    throw InvalidArgument("inputs is " + std::to_string(inputs) + "; it must be at least 1");
  if (outputs < 1)
    throw InvalidArgument("outputs is " + std::to_string(outputs) + "; it must be at least 1");
  options = complete(std::move(options));
  if (options.hyperparameters) options.hyperparameters = starting_theta(options, inputs, outputs);
  state_ = std::make_unique<State>(inputs, outputs, std::move(options));
}

SplittingGp::SplittingGp(std::unique_ptr<State> state) : state_(std::move(state)) {}
SplittingGp::SplittingGp(const SplittingGp& other) {
  Internals::check_usable(other);
  const WakeLocks::Held held = other.state_->partition.wake_locks.all();
  state_ = std::make_unique<State>(*other.state_);
}
SplittingGp::SplittingGp(SplittingGp&& other) noexcept : state_(std::move(other.state_)) {
  if (state_) state_->leave_file();
}
SplittingGp& SplittingGp::operator=(SplittingGp other) noexcept {
  state_ = std::move(other.state_);
  return *this;
}
SplittingGp::~SplittingGp() = default;

void SplittingGp::State::learn(const Observation& row, UpdateResult& result) {
  core().update(*this, row, result);
  note(row, result);
}

void SplittingGp::update(MatrixView x, MatrixView y, UpdateResult& result, double noise_variance,
                         double time) {
  Internals::change(*this, [&] {
    check_observation(*state_, x, y, noise_variance, time);
    state_->learn({column(x), column(y), noise_variance, state_->knowledge.observations, time},
                  result);
  });
}

std::vector<UpdateResult> SplittingGp::update_batch(MatrixView X, MatrixView Y,
                                                    MatrixView noise_variance, MatrixView time) {
  Internals::check_usable(*this);
  check_batch(X, Y, noise_variance, state_->inputs, state_->outputs);
  const auto noise_variances = column(noise_variance);
  const auto times = column(time);
  check_times(*state_, times, X.cols);
  std::vector<UpdateResult> results;
  results.reserve(static_cast<std::size_t>(X.cols));
  Internals::change(*this, [&] {
    for (Index i = 0; i < X.cols; ++i) {
      const double noise = noise_variances.size() == 0 ? 0.0 : noise_variances(i);
      const double at = times.size() == 0 ? kNoTime : times(i);
      state_->learn(
          {columns(X).col(i), columns(Y).col(i), noise, state_->knowledge.observations, at},
          results.emplace_back());
    }
  });
  return results;
}

void SplittingGp::predict(MatrixView X, const Ahead& ahead, Prediction& result) const {
  Internals::check_usable(*this);
  check_values("x", columns(X), state_->inputs);
  check_ahead(ahead, X.cols);
  fill_with_prior(*state_, columns(X), result);
  if (state_->partition.local_gps.empty()) return;
  core().predict(*state_, columns(X), ahead, result);
}

void SplittingGp::predict_gradient(MatrixView X, const Ahead& ahead,
                                   PredictionGradient& result) const {
  Internals::check_usable(*this);
  check_values("x", columns(X), state_->inputs);
  check_ahead(ahead, X.cols);
  fill_with_prior(*state_, columns(X), result);
  fill_with_prior_gradient(*state_, columns(X), result);
  if (state_->partition.local_gps.empty()) return;
  core().predict_gradient(*state_, columns(X), ahead, result);
}

void SplittingGp::predict_then_update(MatrixView x, MatrixView y, Prediction& before,
                                      UpdateResult& result, double noise_variance, double time) {
  Internals::change(*this, [&] {
    check_observation(*state_, x, y, noise_variance, time);
    fill_with_prior(*state_, columns(x), before);
    const Observation row{column(x), column(y), noise_variance, state_->knowledge.observations,
                          time};
    core().predict_then_update(*state_, row, before, result);
    state_->note(row, result);
  });
}

void SplittingGp::bound_latency() {
  Internals::change(*this, [&] { core().bound_latency(*state_); });
}

std::uint64_t SplittingGp::most_operations() const {
  return latency_is_bounded() ? splitgp::most_operations(*state_) : 0;
}

bool SplittingGp::latency_is_bounded() const { return bounds_latency(*state_); }

ForgetResult SplittingGp::forget(std::span<const std::uint64_t> sequences) {
  return Internals::change(*this, [&] { return core().forget(*state_, sequences); });
}

ForgetResult SplittingGp::forget_before(std::uint64_t sequence) {
  return Internals::change(*this,
                           [&] { return core().forget(*state_, held_before(*state_, sequence)); });
}

Explanation SplittingGp::explain(MatrixView x) const {
  Prediction prediction;
  predict(x, {}, prediction);
  Explanation result{prediction.mean.col(0),
                     prediction.variance.col(0),
                     prediction.noise_variance.col(0),
                     prediction.degrees_of_freedom.col(0),
                     {}};
  if (!state_->partition.local_gps.empty()) result.local = core().explain(*state_, column(x));
  return result;
}

// A training that fails has changed nothing: it is recorded whole or not at all.
TrainResult SplittingGp::train() {
  Internals::check_usable(*this);
  return core().train_now(*state_);
}

const std::vector<TrainResult>& SplittingGp::training_history() const {
  return state_->knowledge.training_history;
}

void SplittingGp::finish_training() {
  Internals::check_usable(*this);
  core().finish_training(*state_);
}

void SplittingGp::set_hyperparameters(Hyperparameters theta) {
  Internals::check_usable(*this);
  theta = complete(std::move(theta), state_->inputs, state_->outputs);
  check_tied(theta, state_->knowledge.length_scale_groups);
  state_->knowledge.adopt(std::move(theta));  // a pointer changes hands, or nothing happens
}

const Hyperparameters& SplittingGp::hyperparameters() const {
  return state_->knowledge.theta->values;
}
std::uint64_t SplittingGp::theta_version() const { return state_->knowledge.theta->version; }

Index SplittingGp::refit(Index most) {
  Partition& partition = state_->partition;
  const ThetaPointer& theta = state_->knowledge.theta;
  constexpr auto kAtOnce = std::numeric_limits<std::uint64_t>::max();
  Internals::change(*this, [&] {
    for (Index done = 0; done < most && current_before(partition, *theta) < n_local();)
      done += core().renew(partition, theta, {}, kAtOnce) >= 0 ? 1 : 0;
  });
  return std::count_if(partition.local_gps.begin(), partition.local_gps.end(),
                       [&](const LocalGp& local) { return !is_current(local, *theta); });
}

void SplittingGp::wake(MatrixView X) {
  ModelState& model = *state_;
  check_values("x", columns(X), model.inputs);
  if (!model.partition.may_be_dormant) return;
  std::vector<Neighbor> neighbors;
  Internals::change(*this, [&] {
    for (Index i = 0; i < X.cols; ++i) {
      model.partition.centers.most_similar(model.knowledge.theta->kernel, columns(X).col(i),
                                           n_asked(model), neighbors);
      for (const Neighbor& neighbor : neighbors) core().wake(model.partition, neighbor.local_gp);
    }
  });
}

void SplittingGp::wake() {
  Partition& partition = state_->partition;
  Internals::change(*this, [&] {
    for (Index i = 0; i < n_local(); ++i) core().wake(partition, i);
  });
  partition.may_be_dormant = partition.factor_cache_limit > 0;
}

void SplittingGp::set_factor_cache_limit(Index limit) {
  if (limit < 0)
    throw InvalidArgument("factor_cache_limit is " + std::to_string(limit) +
                          "; it must be at least 0");
  if (limit > 0 && latency_is_bounded()) {
    throw InvalidArgument("factor_cache_limit is " + std::to_string(limit) +
                          "; a model with bounded latency keeps all factors");
  }
  Internals::change(*this, [&] { splitgp::set_factor_cache_limit(state_->partition, limit); });
}

Index SplittingGp::factor_cache_limit() const { return state_->partition.factor_cache_limit; }

void SplittingGp::set_threads(int threads) {
  Internals::check_usable(*this);
  Options changed = state_->options;
  changed.threads = threads;
  check_options(changed);
  state_->options = std::move(changed);
}

}  // namespace splitgp
