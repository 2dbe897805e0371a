#pragma once

#include <cstdint>
#include <span>

#include "core/model/model_state.h"

namespace splitgp {

/// Forgetting, exactly: a forgotten observation leaves its owner and all who borrow it, so that
/// each of them is what it would be without it. O(capacity²) for each holder.

/// Fewer owned observations than this, after forgetting some, and a local GP is merged into its
/// neighbors. With half of split_limit, what a split makes would soon be merged again.
inline Eigen::Index fewest_owned(const Options& options) { return options.split_limit / 4; }

/// Forgets observations. Throws InvalidArgument that names those which are unknown, forgotten
/// already or given twice, and then forgets nothing.
ForgetResult forget(ModelState& model, std::span<const std::uint64_t> sequences);

/// The same for one that is held; allocates nothing unless it merges. At most `most_holders` local
/// GPs lose it, and are counted down; false if others still hold it.
bool forget_one(ModelState& model, std::uint64_t sequence, Eigen::Index& most_holders);

/// Those that are held and have a smaller number. O(how many numbers there are in between)
std::vector<std::uint64_t> held_before(ModelState& model, std::uint64_t sequence);

/// Before `observation` is learned: forgets what the window, the budget and the age leave no room
/// for, Forgotten::kMost observations at most.
Forgotten forget_due(ModelState& model, const Observation& observation);
/// Whether that would forget anything.
bool forgets_at(const ModelState& model, const Observation& observation);

}  // namespace splitgp
