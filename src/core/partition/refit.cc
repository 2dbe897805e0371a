#include "core/partition/refit.h"

namespace splitgp {

using Eigen::Index;

bool is_current(const LocalGp& local, const Theta& theta) {
  return local.theta().version == theta.version;
}

Index refit_cursor(const Partition& partition, const Theta& theta) {
  return partition.refit_version == theta.version ? partition.refit_cursor : 0;
}

bool refit_next(Partition& partition, const ThetaPointer& theta) {
  constexpr Index kLook = 64;
  partition.refit_cursor = refit_cursor(partition, *theta);
  partition.refit_version = theta->version;
  for (Index looked = 0; looked < kLook && partition.refit_cursor < partition.size(); ++looked) {
    LocalGp& local = partition.at(partition.refit_cursor++);
    if (is_current(local, *theta)) continue;
    local.refit(theta);
    return true;
  }
  return false;
}

Index refit_one_of(Partition& partition, const ThetaPointer& theta,
                   const std::vector<Neighbor>& neighbors) {
  for (const Neighbor& neighbor : neighbors) {
    LocalGp& local = partition.at(neighbor.local_gp);
    if (is_current(local, *theta)) continue;
    local.refit(theta);
    return neighbor.local_gp;
  }
  return -1;
}

}  // namespace splitgp
