#pragma once

#include <vector>

#include "core/partition/partition.h"

namespace splitgp {

/// How a new θ reaches the local GPs: the updated one at once, the others one by one.

bool is_current(const LocalGp& local, const Theta& theta);

/// Refits the next local GP that is behind to θ; false if it found none. It looks at a bounded
/// number of them, so that the cost of an update is bounded however many there are.
bool refit_next(Partition& partition, const ThetaPointer& theta);

/// The same for the first of `neighbors` that is behind; returns it, or -1.
Eigen::Index refit_one_of(Partition& partition, const ThetaPointer& theta,
                          const std::vector<Neighbor>& neighbors);

/// All local GPs before this one are known to have θ.
Eigen::Index refit_cursor(const Partition& partition, const Theta& theta);

}  // namespace splitgp
