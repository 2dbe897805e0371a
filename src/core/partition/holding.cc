#include "core/partition/holding.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/partition/refit.h"
#include "core/partition/waking.h"

namespace splitgp {

using Eigen::Index;

void mark_changed(Partition& partition, Index local_gp) {
  if (!partition.changes.recorded || partition.at(local_gp).changed) return;
  partition.at(local_gp).changed = true;
  partition.changes.local_gps.push_back(local_gp);
}

void know_holders(Partition& partition) {
  if (partition.holders.started()) return;
  partition.holders.start();
  for (Index i = 0; i < partition.size(); ++i) {
    const LocalGp& local = partition.at(i);
    for (Index j = 0; j < local.size(); ++j) partition.holders.add(local.sequence(j), i);
  }
}

void record_changes(Partition& partition) {
  partition.changes = {};
  partition.changes.recorded = true;
  for (LocalGp& local : partition.local_gps) local.changed = false;
}

void clear_changes(Partition& partition) {
  for (const Index i : partition.changes.local_gps) {
    if (i < partition.size()) partition.at(i).changed = false;
  }
  partition.changes.local_gps.clear();
  partition.changes.forgotten.clear();
}

void remove_local_gp(Partition& partition, Index local_gp, const Theta& theta) {
  assert(partition.at(local_gp).owned() == 0);
  for (Index j = 0; j < partition.at(local_gp).size(); ++j)
    partition.holders.erase(partition.at(local_gp).sequence(j), local_gp);
  partition.centers.remove(local_gp);
  partition.refit_cursor = refit_cursor(partition, theta);
  partition.refit_version = theta.version;

  const Index last = partition.size() - 1;
  if (local_gp != last) {
    LocalGp& moved = partition.at(local_gp);
    std::swap(moved, partition.local_gps.back());
    for (Index j = 0; j < moved.size(); ++j)
      partition.holders.rename(moved.sequence(j), last, local_gp);
    // Numbers in `awake` that now mean another one, or none, do no harm: see let_sleep.
    if (!moved.dormant()) keep_awake(partition, local_gp);
    if (!is_current(moved, theta))
      partition.refit_cursor = std::min(partition.refit_cursor, local_gp);
    moved.changed = false;  // under its new number it has
  }
  partition.local_gps.pop_back();
  partition.refit_cursor = std::min(partition.refit_cursor, partition.size());
  if (local_gp != last) mark_changed(partition, local_gp);
}

}  // namespace splitgp
