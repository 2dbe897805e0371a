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
  const StreamKnowledge& knowledge() const { return known_; }
  /// Allocates as much as was copied.
  Partition partition() const;

  std::size_t memory_bytes() const;

 private:
  Options options_;
  StreamKnowledge known_;
  std::vector<LocalGp::Points> copies_;  // matrices with spare rows
  Eigen::Index copied_ = 0;
};

}  // namespace splitgp
