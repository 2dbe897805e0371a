#pragma once

#include "core/model_state.h"

namespace splitgp {

/// Algorithm 2, Update: learns one checked observation.
UpdateResult update(ModelState& model, const Observation& observation);

/// Predicts at observation.x into `before`, which holds the prior, then updates, with one search of
/// the centers.
UpdateResult predict_then_update(ModelState& model, const Observation& observation,
                                 Prediction& before);

}  // namespace splitgp
