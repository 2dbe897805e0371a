#pragma once

#include <Eigen/Core>

#include "core/linalg/growing_cholesky.h"

namespace splitgp::rivals {

/// B ← L⁻¹B for many right-hand sides at once, as matrix products over blocks of L's rows. Solving
/// one at a time would stream the whole factor from memory for each: 0.4 GB at n = 10,000. The
/// extra memory is one block of rows. O(n²/2) per column.
void solve_lower_blocked(const GrowingCholesky& factor, Eigen::Ref<Eigen::MatrixXd> B);

}  // namespace splitgp::rivals
