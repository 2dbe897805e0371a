#include "core/partition/waking.h"

#include <mutex>

namespace splitgp {

using Eigen::Index;

void wake(Partition& partition, Index local_gp) {
  LocalGp& local = partition.at(local_gp);
  if (local.dormant()) {
    local.wake();
    if (partition.factor_cache_limit > 0) partition.awake.push_back(local_gp);
  }
  local.used = true;
}

void wake_for_reading(const Partition& partition, Index local_gp) {
  const LocalGp& local = partition.at(local_gp);
  if (partition.factor_cache_limit > 0 || !local.dormant()) return;
  const std::lock_guard lock(partition.wake_locks.of(local_gp));
  if (local.dormant()) local.wake_for_reading();
}

void solve_backward_for_reading(const Partition& partition, Index local_gp) {
  const LocalGp& local = partition.at(local_gp);
  if (local.dormant() || local.knows_backward()) return;
  const std::lock_guard lock(partition.wake_locks.of(local_gp));
  if (!local.knows_backward()) local.solve_backward();
}

void keep_awake(Partition& partition, Index local_gp) {
  partition.at(local_gp).used = true;
  if (partition.factor_cache_limit > 0) partition.awake.push_back(local_gp);
}

// The clock algorithm: a local GP used since the last look gets another round. Every use pays for
// one more look, so an update looks at a bounded number.
void let_sleep(Partition& partition) {
  if (partition.factor_cache_limit == 0) return;
  while (std::ssize(partition.awake) > partition.factor_cache_limit) {
    const Index oldest = partition.awake.front();
    partition.awake.pop_front();
    // Merging leaves numbers behind that mean nothing, or a local GP that is listed again.
    if (oldest >= partition.size() || partition.at(oldest).dormant()) continue;
    LocalGp& local = partition.at(oldest);
    if (local.used) {
      local.used = false;
      partition.awake.push_back(oldest);
    } else {
      local.sleep();
    }
  }
}

void set_factor_cache_limit(Partition& partition, Index limit) {
  partition.factor_cache_limit = limit;
  partition.awake.clear();
  if (limit == 0) return;
  partition.may_be_dormant = true;
  for (Index i = 0; i < partition.size(); ++i) {
    if (!partition.at(i).dormant()) partition.awake.push_back(i);
  }
  let_sleep(partition);
}

}  // namespace splitgp
