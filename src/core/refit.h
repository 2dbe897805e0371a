#pragma once

#include "core/partition.h"

namespace splitgp {

/// How a new θ reaches the local GPs: those that are updated at once, the others one by one.

bool is_current(const LocalGp& local, const Theta& theta);

/// Brings the next local GP that is behind to θ; false if it found none. It looks at a bounded
/// number of them, so that an update stays bounded whatever their number.
bool refit_next(Partition& partition, const ThetaPointer& theta);

/// Local GPs before this one have θ for certain.
Eigen::Index refit_cursor(const Partition& partition, const Theta& theta);

}  // namespace splitgp
