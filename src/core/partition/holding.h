#pragma once

#include "core/partition/partition.h"

namespace splitgp {

/// What has to follow when local GPs gain or lose observations: who holds what
/// (core/partition/holders.h), and what the next checkpoint writes (core/partition/changes.h).

/// A local GP holds others than before.
void mark_changed(Partition& partition, Eigen::Index local_gp);

/// It has gained or lost one observation.
inline void gained(Partition& partition, Eigen::Index local_gp, std::uint64_t sequence) {
  partition.holders.add(sequence, local_gp);
  mark_changed(partition, local_gp);
}
inline void lost(Partition& partition, Eigen::Index local_gp, std::uint64_t sequence) {
  partition.holders.erase(sequence, local_gp);
  mark_changed(partition, local_gp);
}

/// Begins to know who holds what; O(points held) the first time.
void know_holders(Partition& partition);

/// Begins to record changes, with nothing changed.
void record_changes(Partition& partition);

/// Everything has been written. O(how much that was)
void clear_changes(Partition& partition);

/// Removes a local GP that owns nothing; the last one gets its number. O(capacity)
void remove_local_gp(Partition& partition, Eigen::Index local_gp, const Theta& theta);

}  // namespace splitgp
