#include "core/centers.h"

#include <algorithm>
#include <cassert>

namespace splitgp {

using Eigen::Index;

void Centers::set(Index local_gp, const Eigen::VectorXd& center) {
  assert(local_gp <= size_);
  if (local_gp == size_) {
    if (++size_ > centers_.rows()) {
      centers_.conservativeResize(std::max<Index>(8, 2 * centers_.rows()), Eigen::NoChange);
    }
  }
  centers_.row(local_gp) = center.transpose();
}

Index Centers::most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x,
                            Workspace& workspace) const {
  assert(size_ > 0);
  workspace.distance.resize(centers_.rows());
  auto distance = workspace.distance.head(size_);
  kernel.squared_distances(centers_.topRows(size_), x, distance);
  // Two quick passes: Eigen's minCoeff with an index is a slow one.
  const double least = distance.minCoeff();
  return std::find(distance.begin(), distance.end(), least) - distance.begin();
}

void Centers::most_similar(const Kernel& kernel, const Eigen::Ref<const Eigen::VectorXd>& x,
                           Index count, Workspace& workspace,
                           std::vector<Neighbor>& neighbors) const {
  workspace.distance.resize(centers_.rows());
  auto distance = workspace.distance.head(size_);
  kernel.squared_distances(centers_.topRows(size_), x, distance);
  neighbors.clear();
  for (Index i = 0; i < size_; ++i) neighbors.push_back({i, distance(i)});
  const auto closer = [](const Neighbor& a, const Neighbor& b) {
    return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance
                                                    : a.local_gp < b.local_gp;
  };
  const Index kept = std::min(count, size_);
  std::partial_sort(neighbors.begin(), neighbors.begin() + kept, neighbors.end(), closer);
  neighbors.resize(static_cast<std::size_t>(kept));
}

}  // namespace splitgp
