#pragma once

#include <vector>

#include "core/model/model_state.h"

namespace splitgp {

/// Gives the observations that a local GP owns to its neighbors and removes it. Each goes to the
/// most similar local GP that has borrowed it, which costs nothing but a flag, or to the most
/// similar one at all, O(capacity²). No local GP takes more than split_limit; what nobody has room
/// for stays, and the local GP with it. Appends to `merged`, if that is asked for, what happened.
void merge(ModelState& model, Eigen::Index local_gp, std::vector<Merge>* merged);

/// Whether it owns so little that it should be merged.
bool is_small(const ModelState& model, Eigen::Index local_gp);

/// Goes on with the merge that a reserved model has begun (Reserved::merging), by one observation.
/// O(capacity²)
void merge_next(ModelState& model);

}  // namespace splitgp
