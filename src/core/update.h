#pragma once

#include "core/model_state.h"

namespace splitgp {

/// Algorithm 2, Update: learns one checked observation.
UpdateResult update(ModelState& model, const Observation& observation);

}  // namespace splitgp
