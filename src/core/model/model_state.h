#pragma once

#include <Eigen/Core>
#include <utility>

#include "core/model/debt.h"
#include "core/model/retention.h"
#include "core/model/trainer.h"
#include "core/options/validate.h"
#include "core/partition/partition.h"
#include "core/predict/field.h"
#include "core/train/stream_knowledge.h"
#include "core/watch/monitor.h"
#include "splitgp/options.h"

namespace splitgp {

/// What a SplittingGp holds: (𝒜, k_θ, m) of the paper, and those who look after it.
struct ModelState {
  /// REQUIRES: options are checked.
  ModelState(Eigen::Index n_inputs, Eigen::Index n_outputs, Options checked);

  operator Field() const {
    const Experts* experts = monitor.experts ? &*monitor.experts : nullptr;
    return {options, *knowledge.theta, partition, monitor.calibrators, experts, inputs, outputs};
  }

  Options options;
  Eigen::Index inputs;
  Eigen::Index outputs;
  StreamHistory knowledge;  // θ, and what else is known about the stream as a whole
  Partition partition;      // the local GPs, and who holds what
  Monitor monitor;          // how large errors are, and whether the stream changes
  Retention retention;      // how long observations stay
  Budget budget;            // what an update may spend on debt
  Trainer trainer;          // what trains beside the updates

  Prediction scored;  // the aggregated prediction that calibration looks at now and then
};

/// Whether its memory is reserved and its updates are bounded (core/model/bound_latency.h): then a
/// new θ reaches the local GPs in steps.
inline bool bounds_latency(const ModelState& model) {
  return model.partition.renewing.renewal != nullptr;
}

/// What the next row is measured by.
inline Yardstick yardstick(const ModelState& model) {
  return model.knowledge.yardstick(model.options.training == Training::off);
}

/// Whether calibration wants the aggregated prediction before the row after `ahead` more.
inline bool wants_prediction(const ModelState& model, std::uint64_t ahead = 0) {
  return model.monitor.wants_prediction(yardstick(model), model.partition.size(), ahead);
}

}  // namespace splitgp
