#pragma once

#include "core/local_gp.h"

namespace splitgp {

/// Algorithm 1, Split: cuts a local GP at its center, across its first principal direction.
/// `parent` becomes the child on the positive side; the other child is returned. Neither is ever
/// empty.
LocalGp split(LocalGp& parent);
/// The same; `second` is a copy of the parent before. Allocates nothing if both are reserved and
/// the workspace is.
void split(LocalGp& parent, LocalGp& second, SplitWorkspace& workspace);

}  // namespace splitgp
