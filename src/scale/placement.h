#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

#include "splitgp/results.h"

namespace splitgp::scale {

/// Which shard holds which local GP. Regions, not numbers: children stay where their parent is, so
/// that a prediction, which asks neighbors, asks few shards.
class Placement {
 public:
  explicit Placement(std::size_t shards) : loads_(shards, 0) {}
  /// Local GPs that are there already: neighbors in the tree of splits together, in equal parts.
  void place_all(Eigen::Index local_gps, const std::vector<SplitRecord>& splits);

  /// The shard for a second child, the next number: its parent's or, if that holds clearly more
  /// than the lightest, the lightest.
  std::size_t place_child(Eigen::Index parent);
  void place(std::size_t shard) {
    shard_of_.push_back(shard);
    ++loads_[shard];
  }
  void move(Eigen::Index local_gp, std::size_t to);

  /// A new shard, and the local GPs that it is to take over, with those they come from.
  std::vector<std::pair<Eigen::Index, std::size_t>> add_shard(
      const std::vector<SplitRecord>& splits);

  std::size_t shard(Eigen::Index local_gp) const {
    return shard_of_[static_cast<std::size_t>(local_gp)];
  }
  const std::vector<std::size_t>& shard_of() const { return shard_of_; }
  const std::vector<std::size_t>& loads() const { return loads_; }

 private:
  std::vector<std::size_t> shard_of_;
  std::vector<std::size_t> loads_;  // local GPs of each shard: each costs about as much
};

}  // namespace splitgp::scale
