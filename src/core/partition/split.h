#pragma once

#include <vector>

#include "core/local_gp/local_gp.h"

namespace splitgp {

/// Algorithm 1, Split: cuts a local GP at its center, across its first principal direction.
/// `parent` becomes the child on the positive side; the other child is returned. Neither is ever
/// empty.
LocalGp split(LocalGp& parent);

/// Whom it cuts off: one flag for each observation that the parent owns, in `workspace`. Allocates
/// nothing if both are reserved.
const std::vector<bool>& leaves_in_split(const LocalGp& parent, SplitWorkspace& workspace);

}  // namespace splitgp
