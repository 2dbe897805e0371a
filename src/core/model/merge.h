#pragma once

#include <Eigen/Core>

#include "core/local_gp/local_gp.h"
#include "splitgp/results.h"

namespace splitgp {

struct ModelState;

/// Merging: a local GP that forgetting has left with too little gives the observations that it owns
/// to its neighbors, one after the other (Partition::give_away), and goes. What nobody has room for
/// stays, and the local GP with it.

/// Fewer owned observations than this, after forgetting some, and a local GP is merged into its
/// neighbors. With half of split_limit, what a split makes would soon be merged again.
inline Eigen::Index fewest_owned(const Options& options) { return options.split_limit / 4; }

/// Whether it owns so little that it should be merged.
bool is_small(const ModelState& model, Eigen::Index local_gp);

/// Begins to merge a local GP if it is small and no other is being merged.
void begin_merge(ModelState& model, Eigen::Index local_gp, UpdateResult& result);

/// A task of Debt: goes on by one observation, O(capacity²).
bool merge_next(ModelState& model, const Observation& row, UpdateResult& result);

/// Merges a local GP at once. Appends to `merged` what happened.
void merge(ModelState& model, Eigen::Index local_gp, std::vector<Merge>& merged);

}  // namespace splitgp
