#pragma once

#include "core/train/training_set.h"
#include "splitgp/hyperparameters.h"

namespace splitgp {

/// Train's check forward in time. The later third of the observations at hand, by their numbers, is
/// predicted from what came before, with a trend found in the earlier two thirds: the likelihood,
/// which has seen all of them, cannot tell a trend that lasts from one that does not.

/// Whether θ with a trend as its prior mean predicts each block's next row better than θ without,
/// or worse: in squared error, and in density by more than chance would have it. Neither, if the
/// rows do not say.
struct ForwardCheck {
  double without = 0.0;  // mean log densities of the later third, outputs in spreads
  double with = 0.0;
  bool trend_wins = false;
  bool trend_loses = false;
};
ForwardCheck check_trend(const TrainingSet& set, const Hyperparameters& without,
                         const Hyperparameters& with);

/// Whether θ with a trend to fall back to predicts the whole later third of each block, with
/// nothing learned in between, so much better than θ alone that it is worth having.
bool check_fallback(const TrainingSet& set, const Hyperparameters& theta);

}  // namespace splitgp
