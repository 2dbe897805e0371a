#pragma once

#include "core/model_state.h"
#include "core/train.h"

namespace splitgp {

/// Algorithm 2's last line, Train(θ, 𝒜), when the schedule says so: at once, or handed to the
/// background trainer. Also takes in what that has finished. True if a training ended here.
bool train_if_due(ModelState& model);

/// Train, whatever the schedule says.
TrainResult train_now(ModelState& model);

/// What Train starts from: θ now, and how much it counts against what `set` says.
TrainingPlan training_plan(const ModelState& model, const TrainingSet& set, bool search);

/// Takes the result of a training in.
const TrainResult& record(ModelState& model, TrainResult result);

/// Waits for the background trainer, if it is at work, and takes its result in.
void finish_training(ModelState& model);

/// Makes θ the current one. Factors follow later, local GP by local GP.
void adopt(ModelState& model, Hyperparameters theta);

bool is_current(const ModelState& model, const LocalGp& local);

/// Brings the next local GP that is behind to the current θ; false if none is. It looks at a
/// bounded number of them, so that an update stays bounded whatever their number.
bool refit_next(ModelState& model);

}  // namespace splitgp
