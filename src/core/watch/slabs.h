#pragma once

#include <Eigen/Core>
#include <span>

#include "core/watch/stream_statistics.h"

namespace splitgp {

/// The slabs that an input x is in: each of its values in three partitions, of 4, 8 and 16 slabs,
/// which cut a normal distribution of that input's mean and spread into equal parts. With many
/// inputs there are none.
class Slabs {
 public:
  static constexpr Eigen::Index kMostInputs = 16;
  static constexpr Eigen::Index kPartitions = 3;
  static constexpr Eigen::Index kOfInput = 4 + 8 + 16;

  explicit Slabs(Eigen::Index inputs) : inputs_(inputs <= kMostInputs ? inputs : 0) {}
  Eigen::Index count() const { return inputs_ * kOfInput; }
  /// How many each x is in.
  Eigen::Index of_row() const { return inputs_ * kPartitions; }
  /// Their numbers, counted from 0.  REQUIRES: room for of_row() of them.
  void find(const Eigen::Ref<const Eigen::VectorXd>& x, const StreamStatistics& inputs,
            std::span<Eigen::Index> result) const;
  /// Whether x is in one slab; looks at that slab's input alone.
  bool contains(Eigen::Index slab, const Eigen::Ref<const Eigen::VectorXd>& x,
                const StreamStatistics& inputs) const;

 private:
  Eigen::Index inputs_;
};

}  // namespace splitgp
