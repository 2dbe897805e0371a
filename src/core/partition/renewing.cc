#include "core/partition/renewing.h"

#include <algorithm>

#include "core/partition/partition.h"

namespace splitgp {

using Eigen::Index;

void Renewing::follow_removal(Index removed, Index last, const LocalGp& renamed) {
  if (removed != last && renamed.theta().version != version) cursor = std::min(cursor, removed);
  cursor = std::min(cursor, last);
  if (local_gp == removed) {
    local_gp = -1;
  } else if (local_gp == last) {
    local_gp = removed;
  }
}

bool is_current(const LocalGp& local, const Theta& theta) {
  return local.theta().version == theta.version;
}

Index current_before(const Partition& partition, const Theta& theta) {
  return partition.renewing.version == theta.version ? partition.renewing.cursor : 0;
}

Index next_behind(Partition& partition, const Theta& theta, std::span<const Neighbor> near) {
  for (const Neighbor& neighbor : near) {
    if (!is_current(partition.at(neighbor.local_gp), theta)) return neighbor.local_gp;
  }
  constexpr Index kLook = 64;
  Index& cursor = partition.renewing.cursor;
  cursor = current_before(partition, theta);
  partition.renewing.version = theta.version;
  for (Index looked = 0; looked < kLook && cursor < partition.size(); ++looked, ++cursor) {
    if (!is_current(partition.at(cursor), theta)) return cursor;
  }
  return -1;
}

Index renew(Partition& partition, const ThetaPointer& theta, std::span<const Neighbor> near,
            std::uint64_t most) {
  Renewing& renewing = partition.renewing;
  Renewal* const renewal = renewing.renewal.get();
  if (renewing.local_gp >= 0 && renewal->theta != theta) {  // another one came meanwhile
    partition.at(renewing.local_gp).end_renewal();
    renewing.local_gp = -1;
  }
  const bool begins = renewing.local_gp < 0;
  const Index i = begins ? next_behind(partition, *theta, near) : renewing.local_gp;
  if (i < 0) return -1;
  LocalGp& local = partition.at(i);
  if (renewal == nullptr) {
    local.refit(theta);
  } else {
    if (begins) {
      renewal->theta = theta;
      local.begin_renewal(*renewal);
    }
    const bool done = local.renew(most, partition.workspace);
    renewing.local_gp = done ? -1 : i;
    if (!done) return -1;
  }
  partition.centers.set(i, local.center(), theta->kernel);
  return i;
}

}  // namespace splitgp
