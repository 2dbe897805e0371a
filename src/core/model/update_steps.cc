#include "core/model/update_steps.h"

#include <algorithm>
#include <utility>

#include "core/base/bounded_history.h"
#include "core/model/forget.h"
#include "core/model/predict.h"
#include "core/partition/holding.h"
#include "core/partition/refit.h"
#include "core/partition/split.h"
#include "core/partition/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

// The observations that the second child took over.
void list_owned(const LocalGp& local, std::vector<std::uint64_t>& sequences) {
  sequences.clear();
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) sequences.push_back(local.sequence(j));
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

}  // namespace

void start_if_empty(ModelState& model, const Observation& observation) {
  Partition& partition = model.partition;
  if (!partition.local_gps.empty()) return;
  if (LocalGp* const spare = partition.local_gps.take_spare()) {
    spare->clear(model.knowledge.theta);
  } else {
    partition.local_gps.emplace_back(model.inputs, model.outputs, model.knowledge.theta,
                                     model.options);
  }
  partition.centers.set(0, observation.x, model.knowledge.theta->kernel);
  keep_awake(partition, 0);
  model.drift.start();
}

Index n_offered(const ModelState& model) {
  if (model.options.capacity == model.options.split_limit) return 0;
  return std::min<Index>(n_asked(model), Borrowings::kMost);
}

const std::vector<bool>& split_if_full(ModelState& model, Index I, const Observation& observation,
                                       UpdateResult& result) {
  Partition& partition = model.partition;
  const Kernel& kernel = model.knowledge.theta->kernel;
  LocalGp& local = partition.at(I);
  if (local.owned() <= model.options.split_limit) {
    partition.centers.set(I, local.center(), kernel);
    model.split_workspace.leaves.clear();
    return model.split_workspace.leaves;
  }
  const std::vector<bool>& leaves = leaves_in_split(local, model.split_workspace);
  const Index new_local_gp = partition.size();
  LocalGp& second = partition.local_gps.push_back(local);
  local.divide(leaves, second);
  partition.split_history.push_back(
      {observation.sequence, I, new_local_gp, local.owned(), second.owned()});
  if (forgets(model.options)) bound_history(partition.split_history, partition.splits_dropped);
  partition.centers.set(new_local_gp, second.center(), kernel);
  partition.centers.set(I, local.center(), kernel);
  result.new_local_gp = new_local_gp;
  list_owned(second, result.leaving);
  if (result.leaving.back() == observation.sequence) result.local_gp = new_local_gp;
  keep_awake(partition, new_local_gp);
  note_split(model, I, new_local_gp, result.leaving);
  return leaves;
}

Index refit_one_behind(ModelState& model, const Observation& observation) {
  Partition& partition = model.partition;
  const ThetaPointer& theta = model.knowledge.theta;
  if (refit_cursor(partition, *theta) >= partition.size()) return -1;
  partition.centers.most_similar(theta->kernel, observation.x, n_asked(model), model.neighbors);
  const Index near = refit_one_of(partition, theta, model.neighbors);
  if (near >= 0) return near;
  return refit_next(partition, theta) ? partition.refit_cursor - 1 : -1;
}

void count(StreamKnowledge& knowledge, const Observation& observation) {
  ++knowledge.observations;
  knowledge.input_statistics.add(observation.x);
  knowledge.output_statistics.add(observation.y);
}

}  // namespace splitgp
