#include "core/model/update.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/operations.h"
#include "core/model/forget.h"
#include "core/model/model_calibration.h"
#include "core/model/model_drift.h"
#include "core/model/model_training.h"
#include "core/model/predict.h"
#include "core/model/reserve.h"
#include "core/model/update_steps.h"
#include "core/partition/holding.h"
#include "core/partition/refit.h"
#include "core/partition/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

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

// What a prediction at x has solved in the local GP of this rank, if there was one.
SolvedRow solved_row(const Asked& asked, std::size_t rank) {
  return rank < asked.solved.size() ? asked.solved[rank] : SolvedRow{};
}

// A local GP that will be asked about an observation has to know it, whoever owns it: those most
// similar to x, of which its owner is the first. After a split both children have it already.
void offer(ModelState& model, const Observation& observation, const Asked& asked,
           UpdateResult& result) {
  const auto offered = static_cast<std::size_t>(n_offered(model));
  for (std::size_t rank = 1; rank < std::min(1 + offered, asked.similar.size()); ++rank) {
    Borrowing borrowing{asked.similar[rank].local_gp, std::nullopt};
    LocalGp& local = model.partition.at(borrowing.local_gp);
    if (local.borrow(observation, model.workspace, borrowing.displaced, solved_row(asked, rank))) {
      result.borrowed.add(borrowing);
      gained(model.partition, borrowing.local_gp, observation.sequence);
      if (borrowing.displaced) lost(model.partition, borrowing.local_gp, *borrowing.displaced);
    }
  }
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
void update_routed(ModelState& model, const Observation& observation, const Asked& asked,
                   const Prediction* before, UpdateResult& result) {
  const Index I = asked.similar.front().local_gp;
  Partition& partition = model.partition;
  StreamKnowledge& knowledge = model.knowledge;
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
  const LocalGp::Step step = local.look_ahead(observation, model.workspace, solved_row(asked, 0));
  const LookedAhead looked{local.looked_ahead(), step.deviation, local.theta().values};
  note_innovation(model, observation, looked, result);
  result.rejected = is_rejected(model, result);
  const std::optional<Drift::Found> drift = watch(model, observation, result);
  if (result.rejected) {
    ++model.rejected;
    if (drift) raise_alarm(model, *drift, result);
    return;
  }
  local.append(observation, step, model.workspace);
  result.jitter = step.jitter;
  calibrate(model, observation, looked.innovation, before, partition.size());
  // Innovations by an old θ say nothing about the new one.
  if (is_current(local, *knowledge.theta)) knowledge.surprise.observe(looked.innovation);
  result.displaced = local.make_room(model.workspace);
  ++partition.held;
  gained(partition, I, observation.sequence);
  if (result.displaced) lost(partition, I, *result.displaced);

  // If n_I > m: Split.
  split_if_full(model, I, observation, result);
  if (result.new_local_gp) model.drift.split(I, *result.new_local_gp);

  // That takes memory; a reserved model is not so large that the search matters.
  if (!model.reserved) partition.centers.follow(knowledge.theta->kernel);

  offer(model, observation, asked, result);
  let_sleep(partition);

  if (model.reserved) {
    result.refits += renew_next(model, observation.x);
  } else if (result.refits == 0 && refit_one_behind(model, observation) >= 0) {
    ++result.refits;
  }

  if (model.options.max_age > 0.0) remember_time(model, observation);
  count(knowledge, observation);
  if (drift) raise_alarm(model, *drift, result);
  result.trained = train_if_due(model);
}

void learn(ModelState& model, const Observation& observation, UpdateResult& result) {
  start_if_empty(model, observation);
  // I ← argmax_i k(x, c_i)
  if (scores_aggregated(model)) {
    fill_with_prior(model, observation.x, model.scored);
    return update_routed(model, observation, predict_waking(model, observation.x, model.scored),
                         &model.scored, result);
  }
  model.partition.centers.most_similar(model.knowledge.theta->kernel, observation.x,
                                       1 + n_offered(model), model.neighbors);
  update_routed(model, observation, {model.neighbors, {}}, nullptr, result);
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
  // What it has solved there is the new row of their factors.
  const Asked asked = predict_waking(model, observation.x, before);
  // Forgetting may move centers, and numbers.
  if (forgets_at(model, observation)) {
    update(model, observation, result);
  } else {
    begin(model, result);
    update_routed(model, observation, asked, scores_aggregated(model) ? &before : nullptr, result);
  }
  result.operations = operations_done - began;
}

}  // namespace splitgp
