#pragma once

#include "core/train/stream_knowledge.h"
#include "core/train/train.h"
#include "splitgp/options.h"

namespace splitgp {

/// How trainings change what is known about a stream, wherever its observations are held.

/// What Train starts from: the current θ, and how much weight it has against `set`.
TrainingPlan training_plan(const StreamKnowledge& knowledge, const Options& options,
                           const TrainingSet& set, bool search);
/// The same after a surprise: only a θ that is better by far replaces one that does not describe
/// the new rows.
TrainingPlan surprise_plan(const StreamKnowledge& knowledge, const Options& options,
                           const TrainingSet& set);

/// Whether a surprise calls for a training of what began when it did.
bool surprise_due(const StreamKnowledge& knowledge);
/// It cannot before so many more rows, whatever they are.
std::uint64_t rows_before_surprise(const StreamKnowledge& knowledge);

/// Records the result of a training, or throws and has changed nothing. `made` is its θ, if
/// somebody has made it already: then this allocates nothing, as long as the history has room.
const TrainResult& record(StreamHistory& knowledge, TrainResult result,
                          std::shared_ptr<Theta> made = nullptr);

/// Until there is enough to train on, and unless the user gave θ, it follows the scale of the data:
/// otherwise the first rows would be predicted in whatever units happen to suit the defaults. Due
/// at 1, 2, 4, 8, … observations.
bool scale_due(const StreamKnowledge& knowledge);
void follow_scale(StreamKnowledge& knowledge, const Options& options);

}  // namespace splitgp
