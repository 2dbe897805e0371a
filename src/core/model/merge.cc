#include "core/model/merge.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/model/model_state.h"

namespace splitgp {

using Eigen::Index;

namespace {

// A local GP that owns nothing any more goes; the last one gets its number.
void remove(ModelState& model, Index local_gp) {
  const Index last = model.partition.size() - 1;
  model.partition.remove(local_gp);
  model.monitor.drift.remove(local_gp);
  model.monitor.drift.renumber(last, local_gp);
  model.retention.follow_removal(local_gp, last);
}

enum class Given { gave, gone, stays };

Given give_one(ModelState& model, Index local_gp) {
  LocalGp& giver = model.partition.at(local_gp);
  Index j = giver.size() - 1;
  while (j >= 0 && !giver.owns(j)) --j;
  if (j >= 0 &&
      (model.partition.size() == 1 ||
       !model.partition.give_away(local_gp, j, model.knowledge.theta->kernel, model.options))) {
    return Given::stays;
  }
  if (giver.owned() > 0) return Given::gave;
  remove(model, local_gp);
  return Given::gone;
}

// The result of the row in hand names local GPs by the numbers that they have after it.
void follow_removal(ModelState& model, Index removed, UpdateResult& result) {
  const Index last = model.partition.size();
  result.record.borrowed.follow_removal(removed, last);
  if (!result.rejected) result.record.local_gp = model.partition.owner_of(result.sequence);
  if (result.record.new_local_gp == removed) {
    result.record.new_local_gp.reset();
    result.record.leaving.clear();
  } else if (result.record.new_local_gp == last) {
    result.record.new_local_gp = removed;
  }
  if (result.record.routed_to == removed || !result.record.new_local_gp) {
    result.record.routed_to = result.record.local_gp;
  } else if (result.record.routed_to == last) {
    result.record.routed_to = removed;
  }
}

}  // namespace

bool is_small(const ModelState& model, Index local_gp) {
  return model.partition.at(local_gp).owned() < std::max<Index>(1, fewest_owned(model.options));
}

void begin_merge(ModelState& model, Index local_gp, UpdateResult& result) {
  if (!is_small(model, local_gp)) return;
  if (model.partition.at(local_gp).owned() == 0) {
    remove(model, local_gp);
    follow_removal(model, local_gp, result);
  } else if (model.retention.merging < 0) {
    model.retention.merging = local_gp;
  }
}

bool merge_next(ModelState& model, const Observation&, UpdateResult& result) {
  const Index local_gp = model.retention.merging;
  if (local_gp < 0) return false;
  // It may have learned others meanwhile.
  const Given step = is_small(model, local_gp) ? give_one(model, local_gp) : Given::stays;
  if (step == Given::gave) return true;
  model.retention.merging = -1;
  if (step == Given::gone) follow_removal(model, local_gp, result);
  return false;
}

void merge(ModelState& model, Index local_gp, std::vector<Merge>& merged) {
  Merge record{local_gp, model.partition.size() - 1, model.partition.at(local_gp).owned()};
  Given step = Given::gave;
  while (step == Given::gave) step = give_one(model, local_gp);
  if (step == Given::gone) merged.push_back(record);
}

}  // namespace splitgp
