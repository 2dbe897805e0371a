#include "rivals/random_tree.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace splitgp::rivals {

using Eigen::Index;

double RandomTree::Cut::probability_right(const Eigen::Ref<const Eigen::VectorXd>& x) const {
  const double beyond = x(dimension) - position;
  if (width > 0.0) return std::clamp(0.5 + beyond / width, 0.0, 1.0);
  // Identical points cannot be separated by a cut, only by a coin toss.
  return beyond == 0.0 ? 0.5 : (beyond > 0.0 ? 1.0 : 0.0);
}

Index RandomTree::draw_leaf(const Eigen::Ref<const Eigen::VectorXd>& x,
                            std::mt19937_64& random) const {
  Index i = 0;
  while (node(i).leaf < 0) {
    const double right = node(i).cut.probability_right(x);
    i = node(i).child + (uniform(random) < right ? 1 : 0);
  }
  return node(i).leaf;
}

void RandomTree::active_leaves(const Eigen::Ref<const Eigen::VectorXd>& x,
                               std::vector<Active>& leaves) const {
  leaves.clear();
  std::vector<Active> open{{0, 1.0}};  // nodes, not leaves yet
  while (!open.empty()) {
    const Active here = open.back();
    open.pop_back();
    const Node& at = node(here.leaf);
    if (at.leaf >= 0) {
      leaves.push_back({at.leaf, here.probability});
      continue;
    }
    const double right = at.cut.probability_right(x);
    if (right > 0.0) open.push_back({at.child + 1, here.probability * right});
    if (right < 1.0) open.push_back({at.child, here.probability * (1.0 - right)});
  }
}

void RandomTree::split(Index left, Index right, const Cut& cut) {
  assert(right == std::ssize(node_of_leaf_));
  const auto parent = static_cast<std::size_t>(node_of_leaf_[static_cast<std::size_t>(left)]);
  const Index child = std::ssize(nodes_);
  nodes_[parent] = {cut, -1, child};
  nodes_.push_back({{}, left, -1});
  nodes_.push_back({{}, right, -1});
  node_of_leaf_[static_cast<std::size_t>(left)] = child;
  node_of_leaf_.push_back(child + 1);
}

}  // namespace splitgp::rivals
