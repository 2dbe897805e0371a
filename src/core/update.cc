#include "core/update.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/bounded_history.h"
#include "core/forget.h"
#include "core/holding.h"
#include "core/model_calibration.h"
#include "core/model_drift.h"
#include "core/model_training.h"
#include "core/operations.h"
#include "core/predict.h"
#include "core/refit.h"
#include "core/reserve.h"
#include "core/split.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

// The observations that the second child took over.
void owned_sequences(const LocalGp& local, std::vector<std::uint64_t>& sequences) {
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) sequences.push_back(local.sequence(j));
  }
}

// As a new one, but with the memory it has and, for a reserved model, all that it may need.
void begin(ModelState& model, UpdateResult& result) {
  std::vector<std::uint64_t> leaving = std::move(result.leaving);
  std::vector<Alarm> alarms = std::move(result.alarms);
  Innovations innovation = std::move(result.innovation);
  leaving.clear();
  if (model.reserved && !alarms.empty() && model.reserved->spare_alarms.size() < 2)
    model.reserved->spare_alarms.push_back(std::move(alarms.front()));
  alarms.clear();
  result = UpdateResult();
  result.leaving = std::move(leaving);
  result.alarms = std::move(alarms);
  result.innovation = std::move(innovation);
  if (!model.reserved) return;
  result.leaving.reserve(static_cast<std::size_t>(model.options.split_limit) + 1);
  result.alarms.reserve(1);
}

// To how many local GPs beside its owner an observation is offered: those that would be asked at
// its place, and the next one.
Index n_offered(const ModelState& model) {
  if (model.options.capacity == model.options.split_limit) return 0;
  return std::min<Index>(n_asked(model), Borrowings::kMost);
}

// A local GP that will be asked about an observation has to know it, whoever owns it. `similar` are
// the local GPs most similar to x, its owner first. After a split both children have it already.
void offer(ModelState& model, const Observation& observation, std::span<const Neighbor> similar,
           UpdateResult& result) {
  const auto offered = static_cast<std::size_t>(n_offered(model));
  for (const Neighbor& neighbor : similar.subspan(1, std::min(offered, similar.size() - 1))) {
    LocalGp& local = model.partition.at(neighbor.local_gp);
    Borrowing borrowing{neighbor.local_gp, std::nullopt};
    if (local.borrow(observation, model.workspace, borrowing.displaced)) {
      result.borrowed.add(borrowing);
      gained(model.partition, neighbor.local_gp, observation.sequence);
      if (borrowing.displaced) lost(model.partition, neighbor.local_gp, *borrowing.displaced);
    }
  }
}

// The second child holds all that its parent held; without inheritance, what it owns, and that
// alone.
void note_split(ModelState& model, Index parent, Index child,
                const std::vector<std::uint64_t>& leaving) {
  Partition& partition = model.partition;
  partition.at(child).changed = false;
  const LocalGp& second = partition.at(child);
  for (Index j = 0; j < second.size(); ++j) gained(partition, child, second.sequence(j));
  if (model.options.inherit) return;
  for (const std::uint64_t sequence : leaving) lost(partition, parent, sequence);
}

// Of what is forgotten for other reasons than its age, most has left when the list is cleaned.
void remember_time(ModelState& model, const Observation& observation) {
  if (model.expiry.size() > 2 * model.partition.held + 16) {
    Expiry held;
    for (std::size_t i = 0; i < model.expiry.size(); ++i) {
      if (model.partition.holders.contains(model.expiry[i].sequence)) held.add(model.expiry[i]);
    }
    model.expiry = std::move(held);
  }
  model.expiry.add({observation.sequence, observation.time});
}

// The rest of Algorithm 2, once the local GPs most similar to x are known: I is the first of them.
// `before` is the aggregated prediction, if calibration wants it.
void update_routed(ModelState& model, const Observation& observation,
                   std::span<const Neighbor> similar, const Prediction* before,
                   UpdateResult& result) {
  const Index I = similar.front().local_gp;
  Partition& partition = model.partition;
  StreamKnowledge& knowledge = model.knowledge;
  const Kernel& kernel = knowledge.theta->kernel;
  result.sequence = observation.sequence;
  result.routed_to = I;
  result.local_gp = I;

  LocalGp& local = partition.at(I);
  local.prefetch();
  if (!is_current(local, *knowledge.theta) && !model.reserved) {
    local.refit(knowledge.theta);
    ++result.refits;
  }
  wake(partition, I);

  // Append (x, y) to local GP I and move its center; a borrowed point makes room.
  note_local_scales(model, local);
  const LocalGp::Step step = local.look_ahead(observation, model.workspace);
  note_innovation(model, observation, local, step, result);
  result.rejected = is_rejected(model, result);
  const std::optional<Drift::Found> drift = watch(model, observation, result);
  if (result.rejected) {
    ++model.rejected;
    if (drift) raise_alarm(model, *drift, result);
    return;
  }
  local.append(observation, step, model.workspace);
  result.jitter = step.jitter;
  calibrate(model, observation, local, before);
  // Innovations by an old θ say nothing about the new one.
  if (is_current(local, *knowledge.theta)) knowledge.surprise.observe(local.innovation());
  result.displaced = local.make_room(model.workspace);
  ++partition.held;
  gained(partition, I, observation.sequence);
  if (result.displaced) lost(partition, I, *result.displaced);

  // If n_I > m: Split.
  if (local.owned() > model.options.split_limit) {
    const Index new_local_gp = partition.size();
    LocalGp& second = partition.local_gps.push_back(local);
    split(local, second, model.split_workspace);
    partition.split_history.push_back(
        {observation.sequence, I, new_local_gp, local.owned(), second.owned()});
    if (forgets(model.options)) bound_history(partition.split_history, partition.splits_dropped);
    partition.centers.set(new_local_gp, second.center(), kernel);
    partition.centers.set(I, local.center(), kernel);
    result.new_local_gp = new_local_gp;
    owned_sequences(second, result.leaving);
    if (result.leaving.back() == observation.sequence) result.local_gp = new_local_gp;
    model.drift.split(I, new_local_gp);
    keep_awake(partition, new_local_gp);
    note_split(model, I, new_local_gp, result.leaving);
  } else {
    partition.centers.set(I, local.center(), kernel);
  }

  offer(model, observation, similar, result);
  let_sleep(partition);

  // A new θ reaches every local GP in time, with at most one refit per update: first those that the
  // next rows will ask, if they are like this one.
  if (model.reserved) {
    result.refits += renew_next(model, observation.x);
  } else if (result.refits == 0 && refit_cursor(partition, *knowledge.theta) < partition.size()) {
    partition.centers.most_similar(kernel, observation.x, n_asked(model), model.neighbors);
    const bool refitted = refit_one_of(partition, knowledge.theta, model.neighbors) ||
                          refit_next(partition, knowledge.theta);
    if (refitted) ++result.refits;
  }

  if (model.options.max_age > 0.0) remember_time(model, observation);
  ++knowledge.observations;
  knowledge.input_statistics.add(observation.x);
  knowledge.output_statistics.add(observation.y);
  if (drift) raise_alarm(model, *drift, result);
  result.trained = train_if_due(model);
}

// The first local GP.
LocalGp& first_local_gp(ModelState& model) {
  SpareDeque<LocalGp>& local_gps = model.partition.local_gps;
  if (LocalGp* const spare = local_gps.take_spare()) {
    spare->clear(model.knowledge.theta);
    return *spare;
  }
  return local_gps.emplace_back(model.inputs, model.outputs, model.knowledge.theta, model.options);
}

void learn(ModelState& model, const Observation& observation, UpdateResult& result) {
  Partition& partition = model.partition;
  const Kernel& kernel = model.knowledge.theta->kernel;
  // If C = 0: the first observation makes the first local GP.
  if (partition.local_gps.empty()) {
    first_local_gp(model);
    partition.centers.set(0, observation.x, kernel);
    keep_awake(partition, 0);
    model.drift.start();
  }
  // I ← argmax_i k(x, c_i)
  if (scores_aggregated(model)) {
    fill_with_prior(model, observation.x, model.scored);
    return update_routed(model, observation, predict_waking(model, observation.x, model.scored),
                         &model.scored, result);
  }
  partition.centers.most_similar(kernel, observation.x, 1 + n_offered(model), model.neighbors);
  update_routed(model, observation, model.neighbors, nullptr, result);
}

}  // namespace

void update(ModelState& model, const Observation& observation, UpdateResult& result) {
  const std::uint64_t began = operations_done;
  begin(model, result);
  const Forgotten forgotten = forget_due(model, observation);
  learn(model, observation, result);
  result.forgotten = forgotten;
  result.operations = operations_done - began;
}

void predict_then_update(ModelState& model, const Observation& observation, Prediction& before,
                         UpdateResult& result) {
  if (model.partition.local_gps.empty()) return update(model, observation, result);
  const std::uint64_t began = operations_done;
  // The local GP that Predict asks first is the one that Update routes to.
  const std::span<const Neighbor> similar = predict_waking(model, observation.x, before);
  // Forgetting may move centers, and numbers.
  if (forgets_at(model, observation)) {
    update(model, observation, result);
  } else {
    begin(model, result);
    update_routed(model, observation, similar, scores_aggregated(model) ? &before : nullptr,
                  result);
  }
  result.operations = operations_done - began;
}

}  // namespace splitgp
