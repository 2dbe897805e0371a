#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/spare_deque.h"
#include "core/local_gp/local_gp.h"
#include "core/partition/centers.h"
#include "core/partition/changes.h"
#include "core/partition/holders.h"
#include "core/partition/wake_locks.h"
#include "splitgp/results.h"

namespace splitgp {

/// 𝒜 of the paper: the local GPs, where they are, and how they came about.
struct Partition {
  explicit Partition(Eigen::Index inputs) : centers(inputs) {}

  LocalGp& at(Eigen::Index i) { return local_gps[static_cast<std::size_t>(i)]; }
  const LocalGp& at(Eigen::Index i) const { return local_gps[static_cast<std::size_t>(i)]; }
  Eigen::Index size() const { return ssize(local_gps); }

  SpareDeque<LocalGp> local_gps;  // a vector would move them all when it grows
  Centers centers;                // c_i, kept together for the search
  std::vector<SplitRecord> split_history;
  std::uint64_t splits_dropped = 0;  // from its front (core/base/bounded_history.h)

  std::uint64_t held = 0;    // observations; each has one owner
  std::uint64_t oldest = 0;  // none of them has a smaller number
  Holders holders;           // who holds them, once something was or may be forgotten
  Changes changes;           // since the last checkpoint, if there are checkpoints

  Eigen::Index refit_cursor = 0;    // local GPs before it have the θ of …
  std::uint64_t refit_version = 0;  // … this version (core/partition/refit.h)

  bool may_be_dormant = false;  // some local GPs may lack their factors: it was loaded, or …
  Eigen::Index awake_limit = 0;  // … only this many may have them (core/partition/waking.h); 0: all
  std::deque<Eigen::Index> awake;  // those that do, least recent first; kept if there is a limit
  WakeLocks wake_locks;
};

}  // namespace splitgp
