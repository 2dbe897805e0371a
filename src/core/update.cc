#include "core/update.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/forget.h"
#include "core/holding.h"
#include "core/model_calibration.h"
#include "core/model_drift.h"
#include "core/model_training.h"
#include "core/predict.h"
#include "core/refit.h"
#include "core/update_steps.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

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
UpdateResult update_routed(ModelState& model, const Observation& observation,
                           std::span<const Neighbor> similar, const Prediction* before = nullptr) {
  const Index I = similar.front().local_gp;
  Partition& partition = model.partition;
  StreamKnowledge& knowledge = model.knowledge;
  UpdateResult result;
  result.sequence = observation.sequence;
  result.routed_to = I;
  result.local_gp = I;

  LocalGp& local = partition.at(I);
  local.prefetch();
  if (!is_current(local, *knowledge.theta)) {
    local.refit(knowledge.theta);
    ++result.refits;
  }
  wake(partition, I);

  // Append (x, y) to local GP I and move its center; a borrowed point makes room.
  note_local_scales(model, local);
  const LocalGp::Step step = local.look_ahead(observation, model.workspace);
  const LookedAhead looked{local.looked_ahead(), step.deviation, local.theta().values};
  note_innovation(model, observation, looked, result);
  result.rejected = is_rejected(model, result);
  const std::optional<Drift::Found> drift = watch(model, observation, result);
  if (result.rejected) {
    ++model.rejected;
    if (drift) raise_alarm(model, *drift, result);
    return result;
  }
  local.append(observation, step, model.workspace);
  result.jitter = step.jitter;
  calibrate(model, observation, looked.innovation, before, partition.size());
  knowledge.surprise.observe(looked.innovation);
  result.displaced = local.make_room(model.workspace);
  ++partition.held;
  gained(partition, I, observation.sequence);
  if (result.displaced) lost(partition, I, *result.displaced);

  // If n_I > m: Split.
  split_if_full(model, I, observation, result);
  if (result.new_local_gp) model.drift.split(I, *result.new_local_gp);

  partition.centers.follow(knowledge.theta->kernel);

  offer(model, observation, similar, result);
  let_sleep(partition);

  if (result.refits == 0 && refit_one_behind(model, observation) >= 0) ++result.refits;

  if (model.options.max_age > 0.0) remember_time(model, observation);
  count(knowledge, observation);
  if (drift) raise_alarm(model, *drift, result);
  result.trained = train_if_due(model);
  return result;
}

UpdateResult learn(ModelState& model, const Observation& observation) {
  start_if_empty(model, observation);
  // I ← argmax_i k(x, c_i)
  if (scores_aggregated(model)) {
    fill_with_prior(model, observation.x, model.scored);
    return update_routed(model, observation, predict_waking(model, observation.x, model.scored),
                         &model.scored);
  }
  model.partition.centers.most_similar(model.knowledge.theta->kernel, observation.x,
                                       1 + n_offered(model), model.neighbors);
  return update_routed(model, observation, model.neighbors);
}

}  // namespace

UpdateResult update(ModelState& model, const Observation& observation) {
  const Forgotten forgotten = forget_due(model, observation);
  UpdateResult result = learn(model, observation);
  result.forgotten = forgotten;
  return result;
}

UpdateResult predict_then_update(ModelState& model, const Observation& observation,
                                 Prediction& before) {
  if (model.partition.local_gps.empty()) return update(model, observation);
  // The local GP that Predict asks first is the one that Update routes to.
  const std::span<const Neighbor> similar = predict_waking(model, observation.x, before);
  // Forgetting may move centers, and numbers.
  if (forgets_at(model, observation)) return update(model, observation);
  return update_routed(model, observation, similar, scores_aggregated(model) ? &before : nullptr);
}

}  // namespace splitgp
