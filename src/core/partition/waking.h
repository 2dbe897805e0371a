#pragma once

#include "core/partition/partition.h"

namespace splitgp {

/// Which local GPs keep their factors. Without a limit all do; with one, the least recently used go
/// to sleep, which costs a refactorisation, O(m³), when they are next needed.

/// Wakes a local GP that is about to be used.
void wake(Partition& partition, Eigen::Index local_gp);

/// The same for a prediction, which may run beside others and so changes nothing else: with a limit
/// it leaves the local GP as it is.
void wake_for_reading(const Partition& partition, Eigen::Index local_gp);

/// Lets an awake local GP keep what derivatives of its predictions need (LocalGp::solve_backward).
void solve_backward_for_reading(const Partition& partition, Eigen::Index local_gp);

/// Records that an awake local GP was created or used.
void keep_awake(Partition& partition, Eigen::Index local_gp);

/// Puts the local GPs beyond the limit to sleep. Only updates call it, so what was woken for a
/// prediction stays awake until that is done.
void let_sleep(Partition& partition);

/// Sets the limit; 0 means none.
void set_factor_cache_limit(Partition& partition, Eigen::Index limit);

}  // namespace splitgp
