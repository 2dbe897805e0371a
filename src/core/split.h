#pragma once

#include "core/local_gp.h"

namespace splitgp {

/// Algorithm 1, Split: cuts a local GP at its center, across its first principal direction.
/// `parent` becomes the child on the positive side; the other child is returned. Neither is ever
/// empty.
LocalGp split(LocalGp& parent);

}  // namespace splitgp
