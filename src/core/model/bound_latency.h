#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// Bounded latency, for a control loop: a model's memory is taken and touched in advance, and no
/// update does more than a stated amount of work (docs/control.md). Results are those of any other
/// model, but for rounding and for when a new θ reaches each local GP.

/// How many local GPs a model with these options has room for: as many as would each own a quarter
/// of split_limit, the least that forgetting leaves them.
Eigen::Index n_reserved(const Options& options);

/// Bounds the latency of a model, and prepares this thread to update and ask it. Throws
/// InvalidArgument, and changes nothing, if its options leave its size or its work without bound.
void bound_latency(ModelState& model);

/// The most operations (core/base/operations.h) that one update then takes.
std::uint64_t most_operations(const ModelState& model);

}  // namespace splitgp
