#include "core/centers.h"

#include <algorithm>
#include <bit>
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
  const Column* bound = box(i);
  for (Index k = 0; k < inputs_; ++k, bound += 2) {
    sum += ((bound[0] - x(k)).max(x(k) - bound[1]).max(0.0) * kernel.inverse_length_scale()(k))
               .square();
  }
  return sum.min(Kernel::kLargestSquaredDistance);
}

// How badly x would fit into each entry's box: how far away it is and, among boxes that contain it,
// how far from the middle. Taking the first of those would let boxes overlap more and more.
Centers::Column Centers::misfit(std::int32_t i, const Kernel& kernel,
                                const Eigen::Ref<const VectorXd>& x) const {
  constexpr double kMiddle = 1e-3;
  Column from_middle = Column::Zero();
  const Column* bound = box(i);
  for (Index k = 0; k < inputs_; ++k, bound += 2) {
    from_middle +=
        ((0.5 * bound[0] + 0.5 * bound[1] - x(k)) * kernel.inverse_length_scale()(k)).square();
  }
  return bounds(i, kernel, x) + kMiddle * from_middle;
}

// Which of the first `count` entries are within reach, one bit for each: branches on every one
// would be mispredicted as often as not.
std::uint32_t Centers::within(const Column& distance, int count, double reach) {
  std::uint32_t bits = 0;
  for (int slot = 0; slot < kFan; ++slot)
    bits |= static_cast<std::uint32_t>(distance(slot) <= reach) << slot;
  return bits & ((std::uint32_t{1} << count) - 1);
}

// Depth first, the nearest box first: what is found there rules most of the others out.
void Centers::search(std::int32_t i, Search& wanted) const {
  const Node& here = node(i);
  const Column distance = bounds(i, wanted.kernel, wanted.x);
  std::uint32_t left = within(distance, here.count, wanted.reach());
  if (here.leaf) {
    for (; left != 0; left &= left - 1) {
      const int slot = std::countr_zero(left);
      if (distance(slot) <= wanted.reach())
        wanted.offer({here.below[static_cast<std::size_t>(slot)], distance(slot)});
    }
    return;
  }
  while (left != 0) {
    int nearest = std::countr_zero(left);
    for (std::uint32_t others = left & (left - 1); others != 0; others &= others - 1) {
      const int slot = std::countr_zero(others);
      nearest = distance(slot) < distance(nearest) ? slot : nearest;
    }
    search(here.below[static_cast<std::size_t>(nearest)], wanted);
    left &= ~(std::uint32_t{1} << nearest) & within(distance, here.count, wanted.reach());
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

// Down to the leaf that it fits into best. Full nodes are split on the way, so that there is room
// for one more entry wherever a split below needs it.
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
    const Column distance = misfit(at, kernel, center);
    int nearest = 0;
    distance.head(node(at).count).minCoeff(&nearest);
    std::int32_t next = node(at).below[static_cast<std::size_t>(nearest)];
    if (node(next).count == kFan) {
      // One of the halves, not the nearest of all: that might be full as well, and this node then.
      const std::int32_t second = split_node(next, kernel);
      const Column after = misfit(at, kernel, center);
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
  if (n_nodes_ % kChunk == 0) {
    chunks_.push_back({std::vector<Node>(kChunk),
                       std::vector<Column>(static_cast<std::size_t>(2 * inputs_ * kChunk),
                                           Column(Column::Zero()))});
  }
  node(n_nodes_).leaf = leaf;
  return n_nodes_++;
}

// Cuts a full node across one of the inputs, where the boxes of the two parts become smallest (the
// sum of their squared extents, in length scales), and returns the second part. O(kFan·d²)
// REQUIRES: it has a parent, which has room.
std::int32_t Centers::split_node(std::int32_t i, const Kernel& kernel) {
  constexpr int kLeast = 5;  // of a part
  Eigen::ArrayXXd low(inputs_, kFan), high(inputs_, kFan);
  for (Index k = 0; k < inputs_; ++k) {
    low.row(k) = kernel.inverse_length_scale()(k) * lower(i, k).transpose();
    high.row(k) = kernel.inverse_length_scale()(k) * upper(i, k).transpose();
  }
  // Of the boxes around the first, the first two, the first three, … in an order.
  const auto squared_extents = [&](auto first, auto last) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Eigen::ArrayXd least = Eigen::ArrayXd::Constant(inputs_, kInfinity);
    Eigen::ArrayXd largest = Eigen::ArrayXd::Constant(inputs_, -kInfinity);
    std::array<double, kFan> result{};
    for (std::size_t n = 0; first != last; ++first, ++n) {
      least = least.min(low.col(*first));
      largest = largest.max(high.col(*first));
      result[n] = (largest - least).square().sum();
    }
    return result;
  };
  std::array<int, kFan> order;
  std::iota(order.begin(), order.end(), 0);
  std::array<int, kFan> best = order;
  std::size_t first_part = kFan / 2;
  double smallest = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < inputs_; ++k) {
    const Eigen::ArrayXd middle = 0.5 * low.row(k) + 0.5 * high.row(k);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return middle(a) < middle(b); });
    const std::array<double, kFan> front = squared_extents(order.begin(), order.end());
    const std::array<double, kFan> back = squared_extents(order.rbegin(), order.rend());
    for (std::size_t n = kLeast; n <= kFan - kLeast; ++n) {
      const double size = front[n - 1] + back[kFan - n - 1];
      if (size < smallest) {
        smallest = size;
        best = order;
        first_part = n;
      }
    }
  }

  const std::int32_t second = new_node(node(i).leaf);
  std::array<bool, kFan> leaves{};
  for (std::size_t n = first_part; n < kFan; ++n) leaves[static_cast<std::size_t>(best[n])] = true;
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
  return chunks_.size() * (sizeof(Chunk) + kChunk * node_bytes) + places_.size() * sizeof(Place);
}

}  // namespace splitgp
