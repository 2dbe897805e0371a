#pragma once

#include "core/train/training_plan.h"
#include "core/train/training_set.h"
#include "splitgp/results.h"

namespace splitgp {

/// A better θ for the observations in `set`, or the current one if there is none. Deterministic.
/// It does not throw for any finite data: what cannot be learned stays as it is.
TrainResult train(const TrainingSet& set, const TrainingPlan& plan);

}  // namespace splitgp
