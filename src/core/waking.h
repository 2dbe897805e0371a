#pragma once

#include "core/partition.h"

namespace splitgp {

/// Which local GPs keep their factors. Without a limit all do; with one, those used longest ago go
/// to sleep, which costs a refactorisation, O(m³), when they are needed next.

/// Wakes a local GP that is about to be used.
void wake(Partition& partition, Eigen::Index local_gp);

/// The same for a prediction, which may run beside others and so changes nothing else: with a limit
/// it leaves the local GP as it is.
void wake_for_reading(const Partition& partition, Eigen::Index local_gp);

/// Says that an awake local GP was made or used.
void keep_awake(Partition& partition, Eigen::Index local_gp);

/// Lets the local GPs beyond the limit sleep. Called by updates alone: what was woken for a
/// prediction stays awake until it has been made.
void let_sleep(Partition& partition);

/// A limit from now on; 0: none.
void set_awake_limit(Partition& partition, Eigen::Index limit);

}  // namespace splitgp
