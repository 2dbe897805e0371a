#include "core/split.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace splitgp {
namespace {

// Inputs that the hyperplane cannot separate (all equal, or closer than rounding) are halved by
// their order along v and, where that ties too, by their order of arrival.
std::vector<bool> lower_half(const Eigen::VectorXd& along) {
  std::vector<std::size_t> order(static_cast<std::size_t>(along.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return along(static_cast<Eigen::Index>(a)) < along(static_cast<Eigen::Index>(b));
  });
  std::vector<bool> half(order.size(), false);
  for (std::size_t rank = 0; rank < order.size() / 2; ++rank) half[order[rank]] = true;
  return half;
}

}  // namespace

std::vector<bool> leaves_in_split(const LocalGp& parent) {
  const Eigen::VectorXd v = parent.principal_direction();
  const Eigen::VectorXd along = parent.centered_inputs() * v;  // vᵀ(x_j − c)
  std::vector<bool> leaves(static_cast<std::size_t>(along.size()));
  for (Eigen::Index j = 0; j < along.size(); ++j)
    leaves[static_cast<std::size_t>(j)] = !(along(j) > 0.0);

  const auto leaving = std::count(leaves.begin(), leaves.end(), true);
  if (leaving == 0 || leaving == along.size()) leaves = lower_half(along);
  return leaves;
}

LocalGp split(LocalGp& parent) { return parent.divide(leaves_in_split(parent)); }

}  // namespace splitgp
