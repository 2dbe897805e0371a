#include "core/centers.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

bool closer(const Neighbor& a, const Neighbor& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance
                                                  : a.local_gp < b.local_gp;
}

}  // namespace

// The most similar centers so far, as a heap with the least similar of them in front.
struct Centers::Search {
  const Kernel& kernel;
  const Eigen::Ref<const VectorXd>& x;
  std::size_t count;
  std::vector<Neighbor>& found;

  // Beyond this nothing is of interest; at it, a lower number still is.
  double reach() const {
    return found.size() < count ? std::numeric_limits<double>::infinity()
                                : found.front().squared_distance;
  }
  void offer(const Neighbor& neighbor) {
    if (found.size() == count) {
      if (!closer(neighbor, found.front())) return;
      std::pop_heap(found.begin(), found.end(), closer);
      found.back() = neighbor;
    } else {
      found.push_back(neighbor);
    }
    std::push_heap(found.begin(), found.end(), closer);
  }
};

Index Centers::most_similar(const Kernel& kernel, const Eigen::Ref<const VectorXd>& x) const {
  assert(size() > 0);
  static thread_local std::vector<Neighbor> found;
  most_similar(kernel, x, 1, found);
  return found.front().local_gp;
}

void Centers::most_similar(const Kernel& kernel, const Eigen::Ref<const VectorXd>& x, Index count,
                           std::vector<Neighbor>& neighbors) const {
  neighbors.clear();
  if (root_ < 0 || count <= 0) return;
  Search wanted{kernel, x, static_cast<std::size_t>(count), neighbors};
  search(root_, wanted);
  std::sort_heap(neighbors.begin(), neighbors.end(), closer);
}

// r² from x to each entry's box: to the center itself in a leaf, at most that of anything below in
// other nodes, to the last bit, because every operation here is monotone.
Centers::Column Centers::bounds(std::int32_t i, const Kernel& kernel,
                                const Eigen::Ref<const VectorXd>& x) const {
  Column sum = Column::Zero();
  const Column* box = node(i).box.data();
  for (Index k = 0; k < inputs_; ++k, box += 2) {
    sum +=
        ((box[0] - x(k)).max(x(k) - box[1]).max(0.0) * kernel.inverse_length_scale()(k)).square();
  }
  return sum.min(Kernel::kLargestSquaredDistance);
}

// Depth first, the nearest box first.
void Centers::search(std::int32_t i, Search& wanted) const {
  const Node& here = node(i);
  const Column distance = bounds(i, wanted.kernel, wanted.x);
  if (here.leaf) {
    for (int slot = 0; slot < here.count; ++slot) {
      if (distance(slot) <= wanted.reach())
        wanted.offer({here.below[static_cast<std::size_t>(slot)], distance(slot)});
    }
    return;
  }
  std::array<int, kFan> order;
  for (int slot = 0; slot < here.count; ++slot) {
    int at = slot;
    for (; at > 0 && distance(order[static_cast<std::size_t>(at - 1)]) > distance(slot); --at)
      order[static_cast<std::size_t>(at)] = order[static_cast<std::size_t>(at - 1)];
    order[static_cast<std::size_t>(at)] = slot;
  }
  for (int n = 0; n < here.count; ++n) {
    const int slot = order[static_cast<std::size_t>(n)];
    if (distance(slot) > wanted.reach()) return;
    search(here.below[static_cast<std::size_t>(slot)], wanted);
  }
}

void Centers::set(Index local_gp, const VectorXd& center, const Kernel& kernel) {
  assert(local_gp <= size() && center.size() == inputs_);
  if (local_gp == size()) {
    insert(local_gp, center, kernel);
  } else {
    const Place place = places_[static_cast<std::size_t>(local_gp)];
    put(place, local_gp, center);
    mend_boxes_above(place.node);
  }
}

// Down to the leaf whose box is nearest. Full nodes are split on the way, so that there is room for
// one more entry wherever a split below needs it.
void Centers::insert(Index local_gp, const VectorXd& center, const Kernel& kernel) {
  places_.emplace_back();
  if (root_ < 0) root_ = new_node(true);
  if (node(root_).count == kFan) {
    const std::int32_t old_root = root_;
    root_ = new_node(false);
    node(root_).count = 1;
    node(root_).below[0] = old_root;
    node(old_root).parent = {root_, 0};
    split_node(old_root, kernel);
  }
  std::int32_t at = root_;
  while (!node(at).leaf) {
    const Column distance = bounds(at, kernel, center);
    int nearest = 0;
    distance.head(node(at).count).minCoeff(&nearest);
    std::int32_t next = node(at).below[static_cast<std::size_t>(nearest)];
    if (node(next).count == kFan) {
      // One of the halves, not the nearest of all: that might be full as well, and this node then.
      const std::int32_t second = split_node(next, kernel);
      const Column after = bounds(at, kernel, center);
      if (after(node(second).parent.slot) < after(nearest)) next = second;
    }
    at = next;
  }
  put({at, node(at).count++}, local_gp, center);
  mend_boxes_above(at);
}

void Centers::put(Place place, Index local_gp, const VectorXd& center) {
  for (Index k = 0; k < inputs_; ++k) {
    lower(place.node, k)(place.slot) = upper(place.node, k)(place.slot) = center(k);
  }
  node(place.node).below[static_cast<std::size_t>(place.slot)] =
      static_cast<std::int32_t>(local_gp);
  places_[static_cast<std::size_t>(local_gp)] = place;
}

std::int32_t Centers::new_node(bool leaf) {
  Node& added = nodes_.emplace_back();
  added.leaf = leaf;
  added.box.assign(static_cast<std::size_t>(2 * inputs_), Column::Zero());
  return static_cast<std::int32_t>(nodes_.size() - 1);
}

// Halves a full node across its widest extent, in length scales, and returns the second half.
// REQUIRES: it has a parent, which has room.
std::int32_t Centers::split_node(std::int32_t i, const Kernel& kernel) {
  Index widest = 0;
  double extent = -1.0;
  for (Index k = 0; k < inputs_; ++k) {
    const Column middle = 0.5 * lower(i, k) + 0.5 * upper(i, k);
    const double extent_k =
        (middle.maxCoeff() - middle.minCoeff()) * kernel.inverse_length_scale()(k);
    if (extent_k > extent) {
      extent = extent_k;
      widest = k;
    }
  }
  const Column middle = 0.5 * lower(i, widest) + 0.5 * upper(i, widest);
  std::array<int, kFan> order;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return middle(a) < middle(b); });

  const std::int32_t second = new_node(node(i).leaf);
  std::array<bool, kFan> leaves{};
  for (std::size_t n = kFan / 2; n < kFan; ++n) leaves[static_cast<std::size_t>(order[n])] = true;
  std::int32_t stays = 0;
  for (std::int32_t slot = 0; slot < kFan; ++slot) {
    if (leaves[static_cast<std::size_t>(slot)]) {
      move_entry({i, slot}, {second, node(second).count++});
    } else {
      move_entry({i, slot}, {i, stays++});
    }
  }
  node(i).count = stays;

  Node& above = node(node(i).parent.node);
  node(second).parent = {node(i).parent.node, above.count};
  above.below[static_cast<std::size_t>(above.count++)] = second;
  mend_boxes_above(second);
  mend_boxes_above(i);
  return second;
}

void Centers::move_entry(Place from, Place to) {
  for (Index k = 0; k < inputs_; ++k) {
    lower(to.node, k)(to.slot) = lower(from.node, k)(from.slot);
    upper(to.node, k)(to.slot) = upper(from.node, k)(from.slot);
  }
  const std::int32_t moved = node(from.node).below[static_cast<std::size_t>(from.slot)];
  node(to.node).below[static_cast<std::size_t>(to.slot)] = moved;
  if (node(to.node).leaf) {
    places_[static_cast<std::size_t>(moved)] = to;
  } else {
    node(moved).parent = to;
  }
}

// The boxes that contain node i, up to the first that needs no change.
void Centers::mend_boxes_above(std::int32_t i) {
  for (Place place = node(i).parent; place.node >= 0; i = place.node, place = node(i).parent) {
    const int count = node(i).count;
    bool changed = false;
    for (Index k = 0; k < inputs_; ++k) {
      const double least = lower(i, k).head(count).minCoeff();
      const double largest = upper(i, k).head(count).maxCoeff();
      double& low = lower(place.node, k)(place.slot);
      double& high = upper(place.node, k)(place.slot);
      changed = changed || low != least || high != largest;
      low = least;
      high = largest;
    }
    if (!changed) return;
  }
}

std::size_t Centers::memory_bytes() const {
  const std::size_t node_bytes =
      sizeof(Node) + static_cast<std::size_t>(2 * inputs_) * sizeof(Column);
  return nodes_.size() * node_bytes + places_.size() * sizeof(Place);
}

}  // namespace splitgp
