#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// A model for a control loop: its memory is taken and touched in advance, and no update does more
/// than a stated amount of work (docs/control.md). Results are those of any other model, but for
/// rounding and for when a new θ reaches each local GP.

/// How many local GPs a model with these options has room for: as many as would each own a quarter
/// of split_limit, the least that forgetting leaves them.
Eigen::Index n_reserved(const Options& options);

/// Reserves the model, and prepares this thread to update and ask it. Throws InvalidArgument, and
/// changes nothing, if its options leave its size or its work without bound.
void reserve(ModelState& model);

/// The most operations (core/base/operations.h) that one update of a reserved model takes.
std::uint64_t most_operations(const ModelState& model);

/// Goes on with bringing a new θ to the local GPs, those first that the next rows will ask if they
/// are like x. 1 if one got there, otherwise 0.
int renew_next(ModelState& model, const Eigen::Ref<const Eigen::VectorXd>& x);

/// Local GP `removed` is about to go, and `last` gets its number.
void follow_removal(Reserved& reserved, Partition& partition, Eigen::Index removed,
                    Eigen::Index last);

}  // namespace splitgp
