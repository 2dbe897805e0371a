// What forgetting (core/model/forget.cc) asks of a local GP.
#include <algorithm>
#include <cassert>
#include <ranges>

#include "core/local_gp/local_gp.h"

namespace splitgp {

using Eigen::Index;

// Removing one point from the factor takes as long as 1/100 (n = 250) to 1/150 (n = 500) of
// building it again, so a third of the points is about where that is worth it.
void LocalGp::forget(std::span<const Index> rows) {
  const bool awake = !dormant();
  const bool rebuild = awake && !reserved_ && 3 * std::ssize(rows) > size();
  bool owned_some = false;
  if (rebuild) awake_.store(false);
  for (const Index j : std::views::reverse(rows)) {
    owned_some = owned_some || owns(j);
    remove(j);
  }
  if (rebuild) {
    factorise();
    awake_.store(true);
  }
  if (owned_some) recompute_center();
}

void LocalGp::own(Index j) {
  assert(!owns(j));
  owned_[static_cast<std::size_t>(j)] = 1;
  recompute_center();
}

void LocalGp::disown(Index j) {
  assert(owns(j));
  owned_[static_cast<std::size_t>(j)] = 0;
  recompute_center();
}

Index LocalGp::find(std::uint64_t sequence) const {
  const auto found = std::find(sequence_.begin(), sequence_.end(), sequence);
  return found == sequence_.end() ? -1 : found - sequence_.begin();
}

// Var(y_j | the others) = 1/[K⁻¹]_jj, and [K⁻¹]_jj = |L⁻¹e_j|².
double LocalGp::leave_one_out_variance(Index j, Workspace& workspace) const {
  assert(!dormant());
  auto w = workspace.reserve(size(), 1).col(0);
  w.setZero();
  w(j) = 1.0;
  factor_.solve_lower(w);
  const Hyperparameters& theta = theta_->values;
  const double noise = theta.noise_variance + noise_variance_(j) + lift_noise(j);
  return std::max(0.0, 1.0 / w.squaredNorm() - noise) / theta.signal_variance;
}

}  // namespace splitgp
