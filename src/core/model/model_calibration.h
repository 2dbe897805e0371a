#pragma once

#include "core/model/model_state.h"

namespace splitgp {

/// What an update tells calibration (core/watch/calibrator.h): the innovation of its local GP,
/// which appending gives for free, and now and then the error of the aggregated prediction.

/// Whether it wants to see the aggregated prediction before this update. The answer depends on the
/// updates alone, so that predictions in between change nothing.
/// `ahead`: at the update after so many more.
bool scores_aggregated(const ModelState& model, std::uint64_t ahead = 0);

/// Whether θ is in the units of the outputs. The first one is a placeholder unless it was given: an
/// error measured by it would only tell the unit. It stays if nothing trains it.
bool knows_units(const ModelState& model);

/// Remembers the local scales of the local GP that is about to learn an observation, …
void note_local_scales(ModelState& model, const LocalGp& local);

/// … and learns from the innovation that it found. `before` is the aggregated prediction, if
/// scores_aggregated(), and `local_gps` how many there were.
void calibrate(ModelState& model, const Observation& observation, const Surprise::Innovation& found,
               const Prediction* before, Eigen::Index local_gps);

}  // namespace splitgp
