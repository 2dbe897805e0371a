#pragma once

#include "core/contender.h"

namespace splitgp {

/// The most promising θ: all families, or the named one, from many starts on few observations;
/// those still in the race on more.
Contender search(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result);

}  // namespace splitgp
