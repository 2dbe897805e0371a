#pragma once

#include "core/stream_knowledge.h"
#include "core/train.h"
#include "splitgp/options.h"

namespace splitgp {

/// How trainings change what is known about a stream, whoever holds its observations.

/// What Train starts from: θ now, and how much it counts against what `set` says.
TrainingPlan training_plan(const StreamKnowledge& knowledge, const Options& options,
                           const TrainingSet& set, bool search);

/// Takes the result of a training in.
const TrainResult& record(StreamKnowledge& knowledge, TrainResult result);

/// Until there is enough to train on, and unless the user gave θ, it follows the scale of the data:
/// otherwise the first rows would be predicted in whatever units the defaults happen to be right
/// for. Due at 1, 2, 4, 8, … observations.
bool scale_due(const StreamKnowledge& knowledge);
void follow_scale(StreamKnowledge& knowledge, const Options& options);

}  // namespace splitgp
