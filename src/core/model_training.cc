#include "core/model_training.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/objective.h"
#include "core/training_set.h"

namespace splitgp {

using Eigen::Index;

bool is_current(const ModelState& model, const LocalGp& local) {
  return local.theta().values.version == model.theta->values.version;
}

bool refit_next(ModelState& model) {
  constexpr Index kLook = 64;
  const Index n = std::ssize(model.local_gps);
  for (Index looked = 0; looked < kLook && model.refit_cursor < n; ++looked) {
    LocalGp& local = model.local_gps[static_cast<std::size_t>(model.refit_cursor++)];
    if (is_current(model, local)) continue;
    local.refit(model.theta);
    return true;
  }
  return false;
}

void adopt(ModelState& model, Hyperparameters theta) {
  theta.version = model.theta->values.version + 1;
  model.theta = std::make_shared<Theta>(std::move(theta));
  model.refit_cursor = 0;
}

namespace {

// The pull of the last θ, in log likelihood per observation for a step of one e-fold. Cells shrink
// as the stream grows, and small ones underestimate the signal variance and its length scales.
constexpr double kMemory = 0.05;

TrainingSet training_set(const ModelState& model) {
  return draw_training_set(model, model.options.training_observations,
                           model.options.seed + model.next_sequence);
}

// Until there is enough to train on, θ follows the scale of the data: without this the first rows
// would be predicted in whatever units the defaults happen to be right for.
void follow_scale(ModelState& model) {
  const std::uint64_t n = model.next_sequence;
  TrainingSet set = training_set(model);
  if (n == 1) {
    // One observation shows where the outputs lie, and that they may differ by as much.
    const auto size = set.output_mean.array().abs();
    set.output_spread = (size > 1e-130).select(size, 1.0);
  } else {
    // From the spread of n observations to that of the next one's distance from their mean.
    const double count = static_cast<double>(n);
    set.output_spread *= std::sqrt((count + 1.0) / (count - 1.0));
  }
  const Objective objective(set, model.theta->values.kernel, model.theta->values,
                            model.options.fixed);
  adopt(model, objective.theta(objective.start(medium_length_scale(set), 0.1)));
  while (refit_next(model)) {  // few and small as yet: no need to wait until they are touched
  }
}

}  // namespace

TrainingPlan training_plan(const ModelState& model, const TrainingSet& set, bool search) {
  TrainingPlan plan{model.options.kernel, model.options.fixed, model.theta->values};
  plan.warm = model.schedule.ever_trained() || model.theta_given;
  plan.search = search;
  // What earlier trainings saw and this one does not: nothing while the set holds the whole stream.
  if (!model.training_history.empty() && set.observations > 0) {
    const double now = static_cast<double>(set.observations);
    const double before = static_cast<double>(model.training_history.back().observations);
    const double unseen = 1.0 - now / static_cast<double>(std::max<std::uint64_t>(set.sequence, 1));
    plan.memory = kMemory * std::max(0.0, unseen) * std::min(1.0, before / now);
  }
  return plan;
}

const TrainResult& record(ModelState& model, TrainResult result) {
  model.schedule.trained(result.sequence, result.searched);
  if (result.adopted) {
    adopt(model, result.theta);
    result.theta.version = model.theta->values.version;
  }
  return model.training_history.emplace_back(std::move(result));
}

bool train_if_due(ModelState& model) {
  if (model.options.training == Training::off) return false;
  bool trained = false;
  if (model.trainer) {
    if (std::optional<TrainResult> result = model.trainer->take()) {
      record(model, std::move(*result));
      trained = true;
    }
  }
  if (!model.schedule.due(model.next_sequence)) {
    const bool untrained = !model.schedule.ever_trained() && !model.theta_given;
    if (untrained && std::has_single_bit(model.next_sequence)) follow_scale(model);
    return trained;
  }
  if (model.trainer && model.trainer->busy()) return trained;
  TrainingSet set = training_set(model);
  TrainingPlan plan = training_plan(model, set, model.schedule.search_due(model.next_sequence));
  if (model.options.training == Training::inlined) {
    record(model, train(set, plan));
    return true;
  }
  if (!model.trainer) model.trainer = std::make_unique<BackgroundTrainer>();
  model.trainer->start(std::move(set), std::move(plan));
  return trained;
}

TrainResult train_now(ModelState& model) {
  const TrainingSet set = training_set(model);
  return record(model, train(set, training_plan(model, set, true)));
}

void finish_training(ModelState& model) {
  if (!model.trainer) return;
  if (std::optional<TrainResult> result = model.trainer->wait_and_take())
    record(model, std::move(*result));
}

}  // namespace splitgp
