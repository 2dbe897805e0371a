#include "core/partition/split.h"

#include <algorithm>
#include <numeric>

#include "core/base/bounded_history.h"
#include "core/linalg/principal_direction.h"
#include "core/options/validate.h"
#include "core/partition/partition.h"
#include "core/partition/waking.h"

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

// Whom the hyperplane cuts off.
void find_leaves(SplitWorkspace& workspace) {
  workspace.along.noalias() = workspace.centered * workspace.direction;  // vᵀ(x_j − c)
  const Eigen::VectorXd& along = workspace.along;
  workspace.leaves.resize(static_cast<std::size_t>(along.size()));
  for (Eigen::Index j = 0; j < along.size(); ++j)
    workspace.leaves[static_cast<std::size_t>(j)] = !(along(j) > 0.0);

  const auto leaving = std::count(workspace.leaves.begin(), workspace.leaves.end(), true);
  if (leaving == 0 || leaving == along.size()) leave_lower_half(workspace);
}

// The observations that the second child took over.
void list_owned(const LocalGp& local, std::vector<std::uint64_t>& sequences) {
  sequences.clear();
  for (Eigen::Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) sequences.push_back(local.sequence(j));
  }
}

}  // namespace

const std::vector<bool>& split(LocalGp& parent, LocalGp& second, SplitWorkspace& workspace) {
  parent.centered_inputs(workspace.centered);
  find_direction(parent, workspace);
  find_leaves(workspace);
  parent.divide(workspace.leaves, second);
  return workspace.leaves;
}

const std::vector<bool>& Partition::split_if_full(Eigen::Index I, const Observation& observation,
                                                  const Kernel& kernel, const Options& options,
                                                  UpdateResult& result) {
  LocalGp& local = at(I);
  split_workspace.leaves.clear();
  if (local.owned() <= options.split_limit) {
    centers.set(I, local.center(), kernel);
    return split_workspace.leaves;
  }
  const Eigen::Index child = size();
  LocalGp& second = local_gps.push_back(local);
  const std::vector<bool>& leaves = split(local, second, split_workspace);
  split_history.push_back({observation.sequence, I, child, local.owned(), second.owned()});
  if (forgets(options)) bound_history(split_history, splits_dropped);
  centers.set(child, second.center(), kernel);
  centers.set(I, local.center(), kernel);
  keep_awake(*this, child);
  if (result.record.leaving.capacity() == 0) result.record.leaving.swap(spare_leaving);
  list_owned(second, result.record.leaving);
  result.split = true;
  result.record.new_local_gp = child;
  if (result.record.leaving.back() == observation.sequence) result.record.local_gp = child;

  // The second child holds all that its parent held; without inheritance, what it owns, and that
  // alone.
  second.changed = false;
  for (Eigen::Index j = 0; j < second.size(); ++j) gained(child, second.sequence(j));
  if (!options.comparison.inherit) {
    for (const std::uint64_t sequence : result.record.leaving) lost(I, sequence);
  }
  return leaves;
}

}  // namespace splitgp
