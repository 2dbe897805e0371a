// How the observations of a local GP that owns too little find other owners.
#include "core/partition/partition.h"
#include "core/partition/waking.h"
#include "splitgp/error.h"

namespace splitgp {

using Eigen::Index;

namespace {

// How far from the giver a neighbor with room is looked for.
constexpr Index kNearest = 8;

}  // namespace

// The most similar local GP beside `but` that has borrowed the observation at given_x and may own
// one more; -1 if there is none.
Index Partition::best_borrower(std::uint64_t sequence, Index but, const Kernel& kernel,
                               Index split_limit) {
  const auto scale = kernel.inverse_length_scale().array();
  Index best = -1;
  double nearest = 0.0;
  holders.of(sequence, found);
  for (const Index i : found) {
    if (i == but || at(i).owned() >= split_limit) continue;
    const double distance = ((at(i).center() - given_x).array() * scale).matrix().squaredNorm();
    if (best >= 0 && !(distance < nearest)) continue;
    best = i;
    nearest = distance;
  }
  return best;
}

// The same of all local GPs.
Index Partition::best_neighbor(Index but, const Kernel& kernel, Index split_limit) {
  centers.most_similar(kernel, given_x, kNearest + 1, neighbors);
  for (const Neighbor& neighbor : neighbors) {
    if (neighbor.local_gp == but) continue;
    if (at(neighbor.local_gp).owned() < split_limit) return neighbor.local_gp;
  }
  return -1;
}

bool Partition::give_away(Index from, Index j, const Kernel& kernel, const Options& options) {
  LocalGp& giver = at(from);
  const std::uint64_t sequence = giver.sequence(j);
  given_x = giver.inputs().row(j).transpose();
  Index to = best_borrower(sequence, from, kernel, options.split_limit);
  if (to >= 0) {
    at(to).own(at(to).find(sequence));
  } else {
    to = best_neighbor(from, kernel, options.split_limit);
    if (to < 0) return false;
    LocalGp& taker = at(to);
    wake(*this, to);
    given_y = giver.outputs().row(j).transpose();
    try {
      taker.append({given_x, given_y, giver.noise_variance()(j), sequence}, workspace);
    } catch (const NumericalError&) {
      return false;
    }
    holders.add(sequence, to);
    if (const auto displaced = taker.make_room(workspace)) lost(to, *displaced);
  }
  mark_changed(to);
  giver.disown(j);
  mark_changed(from);
  centers.set(to, at(to).center(), kernel);
  if (giver.owned() > 0) centers.set(from, giver.center(), kernel);
  return true;
}

}  // namespace splitgp
