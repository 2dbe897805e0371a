#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/local_gp/local_gp.h"
#include "splitgp/results.h"

namespace splitgp {

struct ModelState;

/// Forgetting, exactly: a forgotten observation leaves its owner and all who borrow it, so that
/// each of them is what it would be without it. O(capacity²) for each holder.

/// Forgets observations. Throws InvalidArgument that names those which are unknown, forgotten
/// already or given twice, and then forgets nothing.
ForgetResult forget(ModelState& model, std::span<const std::uint64_t> sequences);

/// Those that are held and have a smaller number. O(how many numbers there are in between)
std::vector<std::uint64_t> held_before(ModelState& model, std::uint64_t sequence);

/// No local GP holds these any more: counts them, and records them for the next checkpoint.
void note_forgotten(ModelState& model, std::span<const std::uint64_t> sequences);

/// A task of Debt: forgets what the window, the budget or the age leaves no room for now that `row`
/// is learned, in as many local GPs as the budget allows; Forgotten::kMost observations at most.
/// Allocates nothing unless something is merged.
bool forget_due(ModelState& model, const Observation& row, UpdateResult& result);

}  // namespace splitgp
