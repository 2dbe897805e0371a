#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>

#include "core/local_gp/local_gp.h"
#include "core/model/expiry.h"
#include "core/partition/partition.h"

namespace splitgp {

/// How long observations stay: what the window, the budget and the age leave no room for, and what
/// is on its way out.
struct Retention {
  /// Notes when a learned observation was made, if there is a max_age.
  void note_time(const Observation& learned, const Partition& partition);
  /// Nothing is held any more.
  void clear() { *this = Retention(); }
  /// Local GP `removed` is gone, and `last` has its number.
  void follow_removal(Eigen::Index removed, Eigen::Index last);

  Expiry expiry;                            // what max_age will forget, in order
  std::optional<std::uint64_t> forgetting;  // an observation that some still hold
  Eigen::Index merging = -1;  // the local GP that is giving its observations away; -1: none
};

}  // namespace splitgp
