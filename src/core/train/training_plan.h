#pragma once

#include "splitgp/options.h"

namespace splitgp {

/// What Train starts from.
struct TrainingPlan {
  KernelFamily kernel = KernelFamily::automatic;
  FixedHyperparameters fixed;
  Trend trend = Trend::automatic;
  Hyperparameters current;  // the current θ
  bool warm = false;        // `current` was trained or given: start there too
  double memory = 0.0;      // what a step away from `current` must gain per observation
  double worthwhile =
      1e-3;  // a new θ costs every local GP a refit: what it must gain per observation
  bool surprised = false;  // a new θ has to prove itself on rows that it has not seen
  bool search = true;      // many starts and, if the kernel is automatic, all families
  int threads = 1;         // the result does not depend on them
};

}  // namespace splitgp
