#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// Algorithm 2, Update: learns one checked observation.
void update(ModelState& model, const Observation& row, UpdateResult& result);

/// Predicts at row.x into `before`, which holds the prior, then updates, with one search of the
/// centers: the local GP that Predict asks first is the one that Update routes to, and what it has
/// solved there is the new row of its factor.
void predict_then_update(ModelState& model, const Observation& row, Prediction& before,
                         UpdateResult& result);

/// The parts of Algorithm 2 that a router (core/model/route.h) shares: it has them done by the
/// processes that hold the local GPs, and learns later what they found.

/// If C = 0: the first observation makes the first local GP.
void start(ModelState& model, const Observation& first);

/// What the row teaches about the stream as a whole, from what its owner found, Monitor::looked.
/// `current`: the owner had the present θ. `local_gps`: how many there were.
void learn_about_stream(ModelState& model, const Observation& row, const Prediction* before,
                        bool current, Eigen::Index local_gps);

}  // namespace splitgp
