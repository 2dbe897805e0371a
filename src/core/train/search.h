#pragma once

#include "core/train/contender.h"

namespace splitgp {

/// The most promising θ: all families, or the named one, from many starts on few observations;
/// those still in the race on more; of those close together, the best on all. Its value is that on
/// the whole set.
Contender search(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result);

}  // namespace splitgp
