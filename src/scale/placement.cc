#include "scale/placement.h"

#include <algorithm>
#include <cassert>

namespace splitgp::scale {

using Eigen::Index;

namespace {

// All local GPs in the order in which a walk through the tree of splits meets them: what was split
// late is close together.
std::vector<Index> in_tree_order(Index local_gps, const std::vector<SplitRecord>& splits) {
  // Later children of a local GP were split off nearer to where it is now.
  std::vector<std::vector<Index>> children(static_cast<std::size_t>(local_gps));
  for (const SplitRecord& split : splits)
    children[static_cast<std::size_t>(split.parent)].push_back(split.child);
  std::vector<Index> order;
  std::vector<Index> left;
  if (local_gps > 0) left.push_back(0);
  while (!left.empty()) {
    const Index one = left.back();
    left.pop_back();
    order.push_back(one);
    const std::vector<Index>& below = children[static_cast<std::size_t>(one)];
    left.insert(left.end(), below.begin(), below.end());
  }
  assert(std::ssize(order) == local_gps);
  return order;
}

}  // namespace

void Placement::place_all(Index local_gps, const std::vector<SplitRecord>& splits) {
  const std::vector<Index> order = in_tree_order(local_gps, splits);
  shard_of_.assign(order.size(), 0);
  std::fill(loads_.begin(), loads_.end(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t shard = i * loads_.size() / order.size();
    shard_of_[static_cast<std::size_t>(order[i])] = shard;
    ++loads_[shard];
  }
}

std::size_t Placement::place_child(Index parent) {
  const std::size_t here = shard(parent);
  const auto lightest =
      static_cast<std::size_t>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin());
  // A move costs a wait and spreads neighbors, so a shard may have a twentieth more than another.
  const bool overloaded = loads_[here] + 1 > loads_[lightest] + loads_[lightest] / 20 + 2;
  const std::size_t chosen = overloaded ? lightest : here;
  place(chosen);
  return chosen;
}

void Placement::move(Index local_gp, std::size_t to) {
  std::size_t& at = shard_of_[static_cast<std::size_t>(local_gp)];
  --loads_[at];
  ++loads_[to];
  at = to;
}

std::vector<std::pair<Index, std::size_t>> Placement::add_shard(
    const std::vector<SplitRecord>& splits) {
  const std::size_t added = loads_.size();
  loads_.push_back(0);
  const std::vector<Index> order = in_tree_order(static_cast<Index>(shard_of_.size()), splits);
  const std::size_t share = order.size() / loads_.size();
  std::vector<std::pair<Index, std::size_t>> taken;
  // From each shard the last of its walk, so that what moves together lies together.
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::size_t from = shard(order[i]);
    if (from == added || loads_[from] <= share || loads_[added] >= share) continue;
    taken.emplace_back(order[i], from);
    move(order[i], added);
  }
  return taken;
}

}  // namespace splitgp::scale
