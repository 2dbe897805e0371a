#pragma once

#include <cstdint>
#include <vector>

#include "core/partition/partition.h"
#include "core/train/stream_knowledge.h"

namespace splitgp {

struct ModelState;

/// A copy of what a training may look at, made one local GP at a time in memory that exists
/// already.
///
/// It is not of one moment: an observation may be in it twice, or be missing, if it changed hands
/// meanwhile. Train looks at a sample anyway.
class TrainingCopy {
 public:
  /// For models with up to `local_gps` local GPs.
  TrainingCopy(const ModelState& model, Eigen::Index local_gps);

  /// Begins anew.
  void begin(const StreamKnowledge& knowledge);
  /// Copies the next local GP, O(capacity·(d + p)); false if there are no more.
  bool copy_next(const Partition& partition);

  const Options& options() const { return options_; }
  StreamKnowledge knowledge() const;
  /// Allocates as much as was copied.
  Partition partition() const;

  std::size_t memory_bytes() const;

 private:
  // The points of one local GP; rows beyond `count` are spare.
  struct Copy {
    Eigen::MatrixXd inputs, outputs;
    Eigen::VectorXd noise_variance;
    std::vector<std::uint64_t> sequence;
    std::vector<std::uint8_t> owned;
    Eigen::Index count = 0;
  };
  // The part of StreamKnowledge that a training needs.
  struct Known {
    explicit Known(const StreamKnowledge& knowledge);
    void copy(const StreamKnowledge& knowledge);
    StreamKnowledge whole() const;

    LengthScaleGroups groups;
    ThetaPointer theta;
    bool theta_given;
    std::uint64_t observations;
    StreamStatistics input_statistics, output_statistics;
    TrainingSchedule schedule;
    Surprise surprise;
    // Of the history: the last training, and the one that made θ before the present regime.
    bool any_history = false;
    TrainResult last, before;
  };

  Options options_;
  Known known_;
  std::vector<Copy> copies_;
  Eigen::Index copied_ = 0;
};

}  // namespace splitgp
