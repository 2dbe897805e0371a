#include "core/partition/centers.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool closer(const Neighbor& a, const Neighbor& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance
                                                  : a.local_gp < b.local_gp;
}

// r² from x to each center.
template <typename Column>
Column distance_to_centers(const Column* center, const Kernel& kernel,
                           const Eigen::Ref<const VectorXd>& x) {
  Column sum = Column::Zero();
  for (Index k = 0; k < x.size(); ++k)
    sum += ((center[k] - x(k)) * kernel.inverse_length_scale()(k)).square();
  return sum.min(Kernel::kLargestSquaredDistance);
}

// r² from x to each box. To the last bit, this is at most r² to anything inside, because every
// operation here is monotone.
template <typename Column>
Column distance_to_boxes(const Column* bound, const Kernel& kernel,
                         const Eigen::Ref<const VectorXd>& x) {
  Column sum = Column::Zero();
  for (Index k = 0; k < x.size(); ++k, bound += 2) {
    sum += ((bound[0] - x(k)).max(x(k) - bound[1]).max(0.0) * kernel.inverse_length_scale()(k))
               .square();
  }
  return sum.min(Kernel::kLargestSquaredDistance);
}

// Which of the first `count` entries are within reach, one bit each: a branch per entry would be
// mispredicted about half the time.
template <typename Column>
std::uint32_t within(const Column& distance, int count, double reach) {
  std::uint32_t bits = 0;
  for (int slot = 0; slot < distance.size(); ++slot)
    bits |= static_cast<std::uint32_t>(distance(slot) <= reach) << slot;
  return bits & ((std::uint32_t{1} << count) - 1);
}

}  // namespace

// The most similar centers so far; once there are enough, a heap with the least similar in front.
struct Centers::Search {
  const Kernel& kernel;
  const Eigen::Ref<const VectorXd>& x;
  std::size_t count;
  std::vector<Neighbor>& found;

  // Anything beyond this is ruled out; at exactly this distance, a lower number still wins.
  double reach() const { return found.size() < count ? kInfinity : found.front().squared_distance; }
  void offer(const Neighbor& neighbor) {
    if (found.size() < count) {
      found.push_back(neighbor);
      if (found.size() == count) std::make_heap(found.begin(), found.end(), closer);
    } else if (closer(neighbor, found.front())) {
      replace_front(neighbor);
    }
  }
  // One pass; std::pop_heap and std::push_heap would take two.
  void replace_front(const Neighbor& neighbor) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < count; child = 2 * at + 1) {
      if (child + 1 < count) child += closer(found[child], found[child + 1]) ? 1 : 0;
      if (!closer(neighbor, found[child])) break;
      found[at] = found[child];
      at = child;
    }
    found[at] = neighbor;
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
  search(height_, root_, wanted);
  std::sort(neighbors.begin(), neighbors.end(), closer);
}

// Depth first, the nearest box first: what is found there rules most of the others out.
void Centers::search(int level, std::int32_t i, Search& wanted) const {
  if (level == 0) {
    const Node& leaf = leaves_[i];
    const Column distance = distance_to_centers(leaves_.columns(i), wanted.kernel, wanted.x);
    std::uint32_t left = within(distance, leaf.count, wanted.reach());
    for (; left != 0; left &= left - 1) {
      const int slot = std::countr_zero(left);
      if (distance(slot) <= wanted.reach())
        wanted.offer({leaf.below[static_cast<std::size_t>(slot)], distance(slot)});
    }
    return;
  }
  const Node& branch = branches_[i];
  const Column distance = distance_to_boxes(branches_.columns(i), wanted.kernel, wanted.x);
  std::uint32_t left = within(distance, branch.count, wanted.reach());
  while (left != 0) {
    int nearest = std::countr_zero(left);
    for (std::uint32_t others = left & (left - 1); others != 0; others &= others - 1) {
      const int slot = std::countr_zero(others);
      nearest = distance(slot) < distance(nearest) ? slot : nearest;
    }
    search(level - 1, branch.below[static_cast<std::size_t>(nearest)], wanted);
    left &= ~(std::uint32_t{1} << nearest) & within(distance, branch.count, wanted.reach());
  }
}

Centers::Column Centers::distance_to_cells(std::int32_t branch, const Kernel& kernel,
                                           const VectorXd& center) const {
  return distance_to_boxes(cell_bounds(branch), kernel, center);
}

int Centers::nearest_cell(std::int32_t branch, const Kernel& kernel, const VectorXd& center) const {
  int nearest = 0;
  distance_to_cells(branch, kernel, center).head(branches_[branch].count).minCoeff(&nearest);
  return nearest;
}

std::size_t Centers::Nodes::memory_bytes() const {
  return chunks_.size() *
         (sizeof(Chunk) + static_cast<std::size_t>(columns_ * kChunk) * sizeof(Column));
}

std::size_t Centers::memory_bytes() const {
  return leaves_.memory_bytes() + branches_.memory_bytes() + places_.reserved() * sizeof(Place) +
         (is_recut() ? recut_[0].memory_bytes() : 0);
}

}  // namespace splitgp
