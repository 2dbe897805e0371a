#include "core/model/merge.h"

#include <algorithm>

#include "core/model/forget.h"
#include "core/model/reserve.h"
#include "core/partition/holding.h"
#include "core/partition/waking.h"
#include "splitgp/error.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// How far from the small one a neighbor with room is looked for.
constexpr Index kNearest = 8;

// The most similar local GP beside `but` that has borrowed the observation and may own one more;
// -1 if there is none.
Index best_borrower(ModelState& model, std::uint64_t sequence, const VectorXd& x, Index but) {
  const Partition& partition = model.partition;
  const auto scale = model.knowledge.theta->kernel.inverse_length_scale().array();
  Index best = -1;
  double nearest = 0.0;
  partition.holders.of(sequence, model.found);
  for (const Index i : model.found) {
    if (i == but || partition.at(i).owned() >= model.options.split_limit) continue;
    const double distance = ((partition.at(i).center() - x).array() * scale).matrix().squaredNorm();
    if (best >= 0 && !(distance < nearest)) continue;
    best = i;
    nearest = distance;
  }
  return best;
}

Index best_neighbor(ModelState& model, const VectorXd& x, Index but) {
  const Partition& partition = model.partition;
  partition.centers.most_similar(model.knowledge.theta->kernel, x, kNearest + 1, model.neighbors);
  for (const Neighbor& neighbor : model.neighbors) {
    if (neighbor.local_gp == but) continue;
    if (partition.at(neighbor.local_gp).owned() < model.options.split_limit)
      return neighbor.local_gp;
  }
  return -1;
}

// Has some other local GP own point j of local GP `from`; false if none can.
bool give_away(ModelState& model, Index from, Index j) {
  Partition& partition = model.partition;
  LocalGp& giver = partition.at(from);
  const std::uint64_t sequence = giver.sequence(j);
  model.given_x = giver.inputs().row(j).transpose();
  const VectorXd& x = model.given_x;
  Index to = best_borrower(model, sequence, x, from);
  if (to >= 0) {
    LocalGp& taker = partition.at(to);
    taker.own(taker.find(sequence));
    mark_changed(partition, to);
  } else {
    to = best_neighbor(model, x, from);
    if (to < 0) return false;
    LocalGp& taker = partition.at(to);
    wake(partition, to);
    model.given_y = giver.outputs().row(j).transpose();
    const VectorXd& y = model.given_y;
    try {
      taker.append({x, y, giver.noise_variance()(j), sequence}, model.workspace);
    } catch (const NumericalError&) {
      return false;
    }
    gained(partition, to, sequence);
    if (const auto displaced = taker.make_room(model.workspace)) lost(partition, to, *displaced);
  }
  partition.centers.set(to, partition.at(to).center(), model.knowledge.theta->kernel);
  const Index rows[] = {j};
  giver.forget(rows);
  lost(partition, from, sequence);
  return true;
}

// A local GP that owns nothing any more goes.
void remove(ModelState& model, Index local_gp) {
  const Index last = model.partition.size() - 1;
  if (model.reserved) follow_removal(*model.reserved, model.partition, local_gp, last);
  remove_local_gp(model.partition, local_gp, *model.knowledge.theta);
  model.drift.remove(local_gp);
  model.drift.renumber(last, local_gp);
}

}  // namespace

bool is_small(const ModelState& model, Index local_gp) {
  return model.partition.at(local_gp).owned() < std::max<Index>(1, fewest_owned(model.options));
}

void merge_next(ModelState& model) {
  Reserved& reserved = *model.reserved;
  const Index local_gp = reserved.merging;
  if (local_gp < 0) return;
  LocalGp& giver = model.partition.at(local_gp);
  Index j = giver.size() - 1;
  while (j >= 0 && !giver.owns(j)) --j;
  if (j >= 0) {
    // It may have learned others meanwhile.
    if (!is_small(model, local_gp) || model.partition.size() == 1 ||
        !give_away(model, local_gp, j)) {
      reserved.merging = -1;
      return;
    }
    if (giver.owned() > 0) {
      model.partition.centers.set(local_gp, giver.center(), model.knowledge.theta->kernel);
      return;
    }
  }
  remove(model, local_gp);
}

void merge(ModelState& model, Index local_gp, std::vector<Merge>* merged) {
  Partition& partition = model.partition;
  LocalGp& giver = partition.at(local_gp);
  Merge record{local_gp, partition.size() - 1, 0};
  // It will most likely not be asked again, so its factor need not follow.
  const bool awake = !giver.dormant();
  if (!model.reserved) giver.sleep();
  for (Index j = giver.size() - 1; j >= 0; --j) {
    if (!giver.owns(j)) continue;
    if (partition.size() == 1 || !give_away(model, local_gp, j)) {
      partition.centers.set(local_gp, giver.center(), model.knowledge.theta->kernel);
      if (awake) wake(partition, local_gp);
      return;
    }
    ++record.given;
  }
  remove(model, local_gp);
  if (merged != nullptr) merged->push_back(record);
}

}  // namespace splitgp
