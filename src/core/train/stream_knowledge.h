#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/kernel/theta.h"
#include "core/local_gp/local_gp.h"
#include "core/options/length_scale_groups.h"
#include "core/train/training_schedule.h"
#include "core/watch/monitor.h"
#include "core/watch/stream_statistics.h"
#include "core/watch/surprise.h"
#include "splitgp/results.h"

namespace splitgp {

/// What is learned about the stream as a whole: θ, the scale of the columns, and when θ was and
/// will be trained. It does not say which local GP holds which observation
/// (core/partition/partition.h), so a rival, or a part of a model that lives elsewhere, can have it
/// too.
struct StreamKnowledge {
  /// REQUIRES: θ is complete.
  StreamKnowledge(Eigen::Index inputs, Eigen::Index outputs, Hyperparameters starting, bool given)
      : StreamKnowledge(LengthScaleGroups(inputs), outputs, std::move(starting), given) {}
  /// REQUIRES: and the inputs of a group have the same length scale.
  StreamKnowledge(LengthScaleGroups groups, Eigen::Index outputs, Hyperparameters starting,
                  bool given)
      : theta(std::make_shared<const Theta>(std::move(starting), 0)),
        theta_given(given),
        length_scale_groups(std::move(groups)),
        input_statistics(length_scale_groups.inputs()),
        output_statistics(outputs),
        schedule(length_scale_groups.size()),
        surprise(outputs) {}

  Eigen::Index inputs() const { return input_statistics.mean().size(); }
  Eigen::Index outputs() const { return output_statistics.mean().size(); }

  /// Makes θ the current one. What innovations said about the last one is forgotten.
  void adopt(Hyperparameters completed) { adopt(std::make_shared<Theta>(std::move(completed), 0)); }
  /// The same for one that is made already; a pointer changes hands.
  void adopt(std::shared_ptr<Theta> made) {
    surprise.forget();
    made->version = theta->version + 1;
    theta = std::move(made);
  }

  /// What the next row is measured by. `stays`: nothing trains θ.
  Yardstick yardstick(bool stays) const {
    const bool known = theta_given || stays;
    return {*theta, input_statistics, known || theta->version > 0,
            known || schedule.ever_trained()};
  }

  /// One more row has been learned, but for what it teaches about θ.
  void count(const Observation& row) {
    ++observations;
    input_statistics.add(row.x);
    output_statistics.add(row.y);
  }

  ThetaPointer theta;
  bool theta_given;  // by the user, so worth starting Train from
  LengthScaleGroups length_scale_groups;
  std::uint64_t observations = 0;  // seen so far; the next one's sequence number
  StreamStatistics input_statistics;
  StreamStatistics output_statistics;
  TrainingSchedule schedule;
  Surprise surprise;
  Eigen::Index trained_on = 0;  // how many observations the last training looked at
};

/// And the trainings by which that became known.
struct StreamHistory : StreamKnowledge {
  using StreamKnowledge::StreamKnowledge;

  std::vector<TrainResult> training_history;
  std::uint64_t trainings_dropped = 0;  // from its front (core/base/bounded_history.h)
};

}  // namespace splitgp
