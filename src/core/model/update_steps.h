#pragma once

#include <vector>

#include "core/model/model_state.h"

namespace splitgp {

/// The steps of Algorithm 2, Update, that need no factor. core/model/update.cc has them in order; a
/// router (core/model/route.h) takes them for local GPs that other processes hold.

/// If C = 0: the first observation makes the first local GP.
void start_if_empty(ModelState& model, const Observation& observation);

/// To how many local GPs beside its owner an observation is offered: those that would be asked at
/// its place, and the next one.
Eigen::Index n_offered(const ModelState& model);

/// If n_I > m: Split, and says so in `result`. Either way the centers follow. Returns whom the cut
/// took from local GP I, one flag for each that it owned; nothing without a split.
const std::vector<bool>& split_if_full(ModelState& model, Eigen::Index I,
                                       const Observation& observation, UpdateResult& result);

/// A new θ reaches every local GP in time, with at most one refit per update: first those that the
/// next rows will ask, if they are like this one. Returns which one was refitted, or -1.
Eigen::Index refit_one_behind(ModelState& model, const Observation& observation);

/// The observation is learned, but for what it teaches about θ.
void count(StreamKnowledge& knowledge, const Observation& observation);

}  // namespace splitgp
