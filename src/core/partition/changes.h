#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace splitgp {

/// What a checkpoint of a model that forgets has to write: the observations that are gone, and the
/// local GPs that hold others than before, some of them twice or no longer there. A copy of a model
/// records nothing.
struct Changes {
  Changes() = default;
  Changes(const Changes&) {}
  Changes& operator=(const Changes&) {
    *this = Changes();
    return *this;
  }
  Changes(Changes&&) = default;
  Changes& operator=(Changes&&) = default;

  bool recorded = false;
  std::vector<std::uint64_t> forgotten;
  std::vector<Eigen::Index> local_gps;
};

}  // namespace splitgp
