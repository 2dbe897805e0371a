#pragma once

#include "core/training_set.h"
#include "splitgp/options.h"
#include "splitgp/results.h"

namespace splitgp {

/// What Train starts from.
struct TrainingPlan {
  KernelFamily kernel = KernelFamily::automatic;
  FixedHyperparameters fixed;
  Hyperparameters current;  // θ now
  bool warm = false;        // `current` was trained or given: start there too
  double memory = 0.0;      // how much, per observation, a step away from `current` has to gain
  bool search = true;       // many starts and, if the kernel is automatic, all families
};

/// The better θ for the observations in `set`, or the current one if none is. Deterministic.
/// It does not throw for any finite data: what cannot be learned stays as it is.
TrainResult train(const TrainingSet& set, const TrainingPlan& plan);

}  // namespace splitgp
