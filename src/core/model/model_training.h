#pragma once

#include "core/model/model_state.h"
#include "core/train/theta_training.h"

namespace splitgp {

/// What Train looks at: neighbourhoods of local GPs (core/train/training_set.h).
TrainingSet draw_training_set(const ModelState& model, Eigen::Index most_observations,
                              std::uint64_t seed);

/// What Train looks at for that reason, and what it starts from.
TrainingSet training_set_for(Due due, const StreamKnowledge& knowledge, const Partition& partition,
                             const Options& options);
TrainingPlan plan_for(Due due, const StreamKnowledge& knowledge, const Options& options,
                      const TrainingSet& set);

/// Algorithm 2's last line, Train(θ, 𝒜), when it is due: at once, or beside the updates
/// (core/model/trainer.h). Also adopts what has been found there. True if a training ended here.
bool train_if_due(ModelState& model);

/// A training that is not before the end of at least so many more rows, whatever they are; at least
/// 1. Without trainings, a very large number.
std::uint64_t rows_before_training(const ModelState& model);

/// Of which local GPs the next training will look at all points, also those they borrow, if they
/// hold so many points each; of the others it looks at what they own.
std::vector<Eigen::Index> drawn_whole(const ModelState& model,
                                      const std::vector<Eigen::Index>& sizes);

/// Train, whatever the schedule says.
TrainResult train_now(ModelState& model);

/// Waits for a training beside the updates, if there is one, and adopts its result.
void finish_training(ModelState& model);

}  // namespace splitgp
