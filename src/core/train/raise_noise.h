#pragma once

#include "core/train/contender.h"

namespace splitgp {

/// Raises a tiny noise as far as the data do not mind.
void raise_noise(const TrainingSet& set, const TrainingPlan& plan, Contender& winner);

}  // namespace splitgp
