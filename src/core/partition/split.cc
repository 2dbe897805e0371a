#include "core/partition/split.h"

#include <algorithm>
#include <numeric>

#include "core/base/operations.h"
#include "core/linalg/principal_direction.h"

namespace splitgp {
namespace {

// Inputs that the hyperplane cannot separate (all equal, or closer than rounding) are halved by
// their order along v and, where that ties too, by their order of arrival.
void leave_lower_half(SplitWorkspace& workspace) {
  const Eigen::VectorXd& along = workspace.along;
  workspace.order.resize(workspace.leaves.size());
  std::iota(workspace.order.begin(), workspace.order.end(), std::size_t{0});
  std::sort(workspace.order.begin(), workspace.order.end(), [&](std::size_t a, std::size_t b) {
    const double at_a = along(static_cast<Eigen::Index>(a));
    const double at_b = along(static_cast<Eigen::Index>(b));
    return at_a != at_b ? at_a < at_b : a < b;
  });
  std::fill(workspace.leaves.begin(), workspace.leaves.end(), false);
  for (std::size_t rank = 0; rank < workspace.order.size() / 2; ++rank)
    workspace.leaves[workspace.order[rank]] = true;
}

void find_direction(const LocalGp& parent, SplitWorkspace& workspace) {
  if (parent.is_reserved()) {
    principal_direction_in_place(workspace.centered, workspace.direction);
  } else {
    workspace.direction = parent.principal_direction();
  }
}

}  // namespace

const std::vector<bool>& leaves_in_split(const LocalGp& parent, SplitWorkspace& workspace) {
  parent.centered_inputs(workspace.centered);
  find_direction(parent, workspace);
  workspace.along.noalias() = workspace.centered * workspace.direction;  // vᵀ(x_j − c)
  const Eigen::VectorXd& along = workspace.along;
  workspace.leaves.resize(static_cast<std::size_t>(along.size()));
  for (Eigen::Index j = 0; j < along.size(); ++j)
    workspace.leaves[static_cast<std::size_t>(j)] = !(along(j) > 0.0);

  const auto leaving = std::count(workspace.leaves.begin(), workspace.leaves.end(), true);
  if (leaving == 0 || leaving == along.size()) leave_lower_half(workspace);
  return workspace.leaves;
}

LocalGp split(LocalGp& parent) {
  SplitWorkspace workspace;
  return parent.divide(leaves_in_split(parent, workspace));
}

}  // namespace splitgp
