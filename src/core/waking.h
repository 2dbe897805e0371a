#pragma once

#include "core/model_state.h"

namespace splitgp {

/// Which local GPs keep their factors. Without a limit all do; with one, those used longest ago go
/// to sleep, which costs a refactorisation, O(m³), when they are needed next.

/// Wakes a local GP that is about to be used.
void wake(ModelState& model, Eigen::Index local_gp);

/// Says that an awake local GP was made or used.
void keep_awake(ModelState& model, Eigen::Index local_gp);

/// Lets the local GPs beyond the limit sleep. Called by updates alone: what was woken for a
/// prediction stays awake until it has been made.
void let_sleep(ModelState& model);

/// A limit from now on; 0: none.
void set_awake_limit(ModelState& model, Eigen::Index limit);

}  // namespace splitgp
