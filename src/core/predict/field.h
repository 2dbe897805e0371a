#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/experts/experts.h"
#include "core/kernel/theta.h"
#include "core/partition/partition.h"
#include "core/watch/reach_calibrator.h"
#include "splitgp/options.h"

namespace splitgp {

/// The random field that a model describes: what a prediction is made of. A view, which owns
/// nothing.
struct Field {
  const Options& options;
  const Theta& theta;
  const Partition& partition;
  /// One for each output; none without calibration.
  const std::vector<ReachCalibrator>& calibrators;
  const Experts* experts;  // none without calibration
  Eigen::Index inputs;
  Eigen::Index outputs;
};

}  // namespace splitgp
