#include "core/update.h"

#include <utility>

#include "core/model_training.h"
#include "core/predict.h"
#include "core/refit.h"
#include "core/split.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

// The observations that the second child took over.
std::vector<std::uint64_t> owned_sequences(const LocalGp& local) {
  std::vector<std::uint64_t> sequences;
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) sequences.push_back(local.sequence(j));
  }
  return sequences;
}

// The rest of Algorithm 2, once I is known.
UpdateResult update_routed(ModelState& model, const Observation& observation, Index I) {
  Partition& partition = model.partition;
  StreamKnowledge& knowledge = model.knowledge;
  const Kernel& kernel = knowledge.theta->kernel;
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

  // Append (x, y) to local GP I and move its center; an inherited point makes room.
  result.jitter = local.append(observation, model.workspace);
  knowledge.surprise.observe(local.innovation());
  if (local.size() > Index{model.options.split_limit} + 1) {
    result.displaced = local.displace();
  }

  // If n_I > m: Split.
  if (local.owned() > model.options.split_limit) {
    LocalGp second = split(local);
    const Index new_local_gp = partition.size();
    partition.split_history.push_back(
        {observation.sequence, I, new_local_gp, local.owned(), second.owned()});
    partition.centers.set(new_local_gp, second.center(), kernel);
    partition.centers.set(I, local.center(), kernel);
    result.new_local_gp = new_local_gp;
    result.leaving = owned_sequences(second);
    if (result.leaving.back() == observation.sequence) result.local_gp = new_local_gp;
    partition.local_gps.push_back(std::move(second));
    keep_awake(partition, new_local_gp);
  } else {
    partition.centers.set(I, local.center(), kernel);
  }

  let_sleep(partition);

  // A new θ reaches every local GP in time, with at most one refit per update: first those that the
  // next rows will ask, if they are like this one.
  if (result.refits == 0 && refit_cursor(partition, *knowledge.theta) < partition.size()) {
    partition.centers.most_similar(kernel, observation.x, n_asked(model), model.neighbors);
    const bool refitted = refit_one_of(partition, knowledge.theta, model.neighbors) ||
                          refit_next(partition, knowledge.theta);
    if (refitted) ++result.refits;
  }

  ++knowledge.observations;
  knowledge.input_statistics.add(observation.x);
  knowledge.output_statistics.add(observation.y);
  result.trained = train_if_due(model);
  return result;
}

}  // namespace

UpdateResult update(ModelState& model, const Observation& observation) {
  Partition& partition = model.partition;
  const Kernel& kernel = model.knowledge.theta->kernel;
  // If C = 0: the first observation makes the first local GP.
  if (partition.local_gps.empty()) {
    partition.local_gps.emplace_back(model.inputs, model.outputs, model.knowledge.theta,
                                     model.options);
    partition.centers.set(0, observation.x, kernel);
    keep_awake(partition, 0);
  }
  // I ← argmax_i k(x, c_i)
  return update_routed(model, observation, partition.centers.most_similar(kernel, observation.x));
}

UpdateResult predict_then_update(ModelState& model, const Observation& observation,
                                 Prediction& before) {
  if (model.partition.local_gps.empty()) return update(model, observation);
  // The local GP that Predict asks first is the one that Update routes to.
  return update_routed(model, observation, predict_waking(model, observation.x, before));
}

}  // namespace splitgp
