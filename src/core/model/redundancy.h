#pragma once

#include <cstdint>

#include "core/model/model_state.h"

namespace splitgp {

/// An observation that the others explain: the smallest leave-one-out variance among a few that are
/// owned by the local GP most similar to `observation`, and a few owned by another one drawn at
/// random. The first is where it gets crowded; the second lets a place where nothing happens any
/// more make room as well; never `observation` itself. O(capacity²) for each of them.
/// REQUIRES: the model holds another one, and Partition::oldest.
std::uint64_t redundant(ModelState& model, const Observation& observation);

}  // namespace splitgp
