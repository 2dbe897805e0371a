#pragma once

#include <vector>

#include "core/local_gp/local_gp.h"

namespace splitgp {

/// Algorithm 1, Split: cuts a local GP at its center, across its first principal direction.
/// `parent` becomes the child on the positive side, and `second`, which is a copy of it, the other
/// child. Neither is ever empty. Returns whom it cut off: one flag for each observation that the
/// parent owned, in `workspace`. Allocates nothing if all three are reserved.
const std::vector<bool>& split(LocalGp& parent, LocalGp& second, SplitWorkspace& workspace);

}  // namespace splitgp
