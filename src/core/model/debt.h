#pragma once

#include <cstdint>

#include "core/local_gp/local_gp.h"
#include "splitgp/results.h"

namespace splitgp {

struct ModelState;

/// Work that rows cause but that need not happen at once: forgetting, merging, bringing a new θ to
/// the local GPs, cutting the tree of centers anew, copying a training set, letting factors go.
/// Each kind is a task that can stop and go on, and every update pays for some of it.

/// What one update may spend.
struct Budget {
  explicit Budget(const Options& options);

  /// Operations (core/base/operations.h). One factorisation of a full local GP, as a rule.
  std::uint64_t operations;
  /// How many local GPs may lose what is forgotten.
  Eigen::Index holders;
};

/// Does at least one step of each task that is due, and goes on while the budget lasts. `row` is
/// the latest one: what the next rows will ask for, if they are like it, comes first.
void pay_debt(ModelState& model, const Observation& row, UpdateResult& result);

}  // namespace splitgp
