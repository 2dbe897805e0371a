#pragma once

#include <cstdint>
#include <map>

#include "core/partition/partition.h"

namespace splitgp {

/// The local GPs as an earlier observation left them: what each owned, and so its center. A router
/// (core/model/route.h) may have routed others since. O(C), and O(m log m) for each that has
/// changed.
class PartitionThen {
 public:
  /// As they are.
  explicit PartitionThen(const Partition& partition)
      : partition_(partition), size_(partition.size()) {}
  /// After observation `sequence`, when there were `size`.  REQUIRES: nothing was ever forgotten,
  /// and local GPs are outlines.
  PartitionThen(const Partition& partition, std::uint64_t sequence, Eigen::Index size,
                const Options& options);

  Eigen::Index size() const { return size_; }
  const LocalGp& at(Eigen::Index i) const {
    const auto found = changed_.find(i);
    return found == changed_.end() ? partition_.at(i) : found->second;
  }

 private:
  const Partition& partition_;
  Eigen::Index size_;
  std::map<Eigen::Index, LocalGp> changed_;
};

}  // namespace splitgp
