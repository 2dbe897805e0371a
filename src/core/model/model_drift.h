#pragma once

#include <optional>

#include "core/model/model_state.h"
#include "core/partition/partition_then.h"

namespace splitgp {

/// What an update tells about drift (core/watch/drift.h), and what an alarm does to the model.

/// How many alarms a model remembers.
inline constexpr std::size_t kMostAlarms = RecentAlarms::kMost;

/// What a local GP found when it looked ahead at an observation.
struct LookedAhead {
  Surprise::Innovation innovation;  // LocalGp::looked_ahead(), of each output
  double deviation;                 // LocalGp::Step's
  const Hyperparameters& theta;     // that of its factor
};

/// Fills result.innovation and the model's scores, and says whether the observation is an outlier,
/// from what the local GP found when it looked ahead.  REQUIRES: note_local_scales() was called.
void note_innovation(ModelState& model, const Observation& observation, const LookedAhead& looked,
                     UpdateResult& result);

/// Whether the outlier is not to be learned: the options say so, and nothing says that the world
/// has changed.
bool is_rejected(const ModelState& model, const UpdateResult& result);

/// Gives the scores to the detectors.  REQUIRES: the local GP has not been split by this update.
std::optional<Drift::Found> watch(ModelState& model, const Observation& observation,
                                  const UpdateResult& result);

/// Raises the alarm, and reacts.  REQUIRES: the update is complete but for training.
void raise_alarm(ModelState& model, const Drift::Found& found, UpdateResult& result);
/// The same, when other rows may have been routed since: with the local GPs as this one left them,
/// and the owner's local scale of that output.  REQUIRES: Options::on_drift is report.
void raise_alarm(ModelState& model, const Drift::Found& found, const PartitionThen& then,
                 double local_scale, UpdateResult& result);

}  // namespace splitgp
