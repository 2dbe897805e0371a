#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// Algorithm 2, Update: learns one checked observation.
void update(ModelState& model, const Observation& observation, UpdateResult& result);

/// Predicts at observation.x into `before`, which holds the prior, then updates, with one search of
/// the centers.
void predict_then_update(ModelState& model, const Observation& observation, Prediction& before,
                         UpdateResult& result);

}  // namespace splitgp
