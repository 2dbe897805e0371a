#include "core/centers.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "core/cut_boxes.h"

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

// r² from x to each box: at most that to anything inside, to the last bit, because every operation
// here is monotone.
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

// Which of the first `count` entries are within reach, one bit for each: branches on every one
// would be mispredicted as often as not.
template <typename Column>
std::uint32_t within(const Column& distance, int count, double reach) {
  std::uint32_t bits = 0;
  for (int slot = 0; slot < distance.size(); ++slot)
    bits |= static_cast<std::uint32_t>(distance(slot) <= reach) << slot;
  return bits & ((std::uint32_t{1} << count) - 1);
}

}  // namespace

// The bounds of a branch's boxes or cells.
struct Centers::Boxes {
  Column* bounds;
  double& low(Index k, int slot) const { return bounds[2 * k](slot); }
  double& high(Index k, int slot) const { return bounds[2 * k + 1](slot); }
};

Centers::Boxes Centers::boxes(std::int32_t branch) { return {branches_.columns(branch)}; }
Centers::Boxes Centers::cells(std::int32_t branch) {
  return {branches_.columns(branch) + 2 * inputs_};
}

// The most similar centers so far; when there are enough of them, as a heap with the least similar
// in front.
struct Centers::Search {
  const Kernel& kernel;
  const Eigen::Ref<const VectorXd>& x;
  std::size_t count;
  std::vector<Neighbor>& found;

  // Beyond this nothing is of interest; at it, a lower number still is.
  double reach() const { return found.size() < count ? kInfinity : found.front().squared_distance; }
  void offer(const Neighbor& neighbor) {
    if (found.size() < count) {
      found.push_back(neighbor);
      if (found.size() == count) std::make_heap(found.begin(), found.end(), closer);
    } else if (closer(neighbor, found.front())) {
      replace_front(neighbor);
    }
  }
  // In one pass; std::pop_heap and std::push_heap would need two.
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

void Centers::set(Index local_gp, const VectorXd& center, const Kernel& kernel) {
  assert(local_gp <= size() && center.size() == inputs_);
  if (local_gp == size()) {
    insert(local_gp, center, kernel);
  } else {
    move(local_gp, center, kernel);
  }
}

// Down to the leaf in whose cell it is. Full nodes are divided on the way, so that there is room
// for one more entry wherever a division below needs it.
void Centers::insert(Index local_gp, const VectorXd& center, const Kernel& kernel) {
  places_.emplace_back();
  if (root_ < 0) add_root(0);
  if (level(height_)[root_].count == kFan) {
    const std::int32_t full = root_;
    add_root(height_ + 1);
    divide(height_ - 1, full, kernel);
  }
  std::int32_t at = root_;
  for (int l = height_; l > 0; --l) {
    int slot = nearest_cell(at, kernel, center);
    const std::int32_t below = branches_[at].below[static_cast<std::size_t>(slot)];
    if (level(l - 1)[below].count == kFan) {
      divide(l - 1, below, kernel);
      // One of the halves, not the nearest of all: on the border of two cells that might be a third
      // node, full as well.
      const int second = branches_[at].count - 1;
      const Column distance = distance_to_cells(at, kernel, center);
      if (distance(second) < distance(slot)) slot = second;
    }
    at = branches_[at].below[static_cast<std::size_t>(slot)];
  }
  put({at, leaves_[at].count++}, local_gp, center);
  mend_boxes_above(0, at);
}

// To the leaf where it belongs now, if there is room in it, and if it does not leave an empty one
// behind: a branch never loses what is below it, which bounds the height.
void Centers::move(Index local_gp, const VectorXd& center, const Kernel& kernel) {
  const Place from = places_[static_cast<std::size_t>(local_gp)];
  if (!belongs(from.node, center) && leaves_[from.node].count > 1) {
    std::int32_t to = root_;
    for (int l = height_; l > 0; --l)
      to = branches_[to].below[static_cast<std::size_t>(nearest_cell(to, kernel, center))];
    if (to != from.node && leaves_[to].count < kFan) {
      move_entry(0, {from.node, --leaves_[from.node].count}, from);
      mend_boxes_above(0, from.node);
      put({to, leaves_[to].count++}, local_gp, center);
      mend_boxes_above(0, to);
      return;
    }
  }
  put(from, local_gp, center);
  mend_boxes_above(0, from.node);
}

bool Centers::belongs(std::int32_t leaf, const VectorXd& center) const {
  const Place place = leaves_[leaf].parent;
  if (place.node < 0) return true;
  const Column* cell = branches_.columns(place.node) + 2 * inputs_;
  for (Index k = 0; k < inputs_; ++k, cell += 2) {
    if (center(k) < cell[0](place.slot) || center(k) > cell[1](place.slot)) return false;
  }
  return true;
}

Centers::Column Centers::distance_to_cells(std::int32_t branch, const Kernel& kernel,
                                           const VectorXd& center) const {
  return distance_to_boxes(branches_.columns(branch) + 2 * inputs_, kernel, center);
}

int Centers::nearest_cell(std::int32_t branch, const Kernel& kernel, const VectorXd& center) const {
  int nearest = 0;
  distance_to_cells(branch, kernel, center).head(branches_[branch].count).minCoeff(&nearest);
  return nearest;
}

void Centers::put(Place place, Index local_gp, const VectorXd& center) {
  for (Index k = 0; k < inputs_; ++k) leaves_.columns(place.node)[k](place.slot) = center(k);
  leaves_[place.node].below[static_cast<std::size_t>(place.slot)] =
      static_cast<std::int32_t>(local_gp);
  places_[static_cast<std::size_t>(local_gp)] = place;
}

// A new root above the old one, to which all of the space belongs.
void Centers::add_root(int root_level) {
  const std::int32_t below = root_;
  root_ = level(root_level).add();
  height_ = root_level;
  if (root_level == 0) return;
  branches_[root_].count = 1;
  branches_[root_].below[0] = below;
  level(root_level - 1)[below].parent = {root_, 0};
  for (Index k = 0; k < inputs_; ++k) {
    cells(root_).low(k, 0) = -kInfinity;
    cells(root_).high(k, 0) = kInfinity;
  }
}

// Cuts a full node in two, a leaf among its centers, a branch between the cells below it.
// REQUIRES: it has a parent, which has room.
void Centers::divide(int l, std::int32_t i, const Kernel& kernel) {
  constexpr int kLeast = 5;  // of a part; a branch can nearly always be cut between cells like this
  const Place first = level(l)[i].parent;
  Eigen::ArrayXXd low(inputs_, kFan), high(inputs_, kFan);
  for (Index k = 0; k < inputs_; ++k) {
    if (l == 0) {
      low.row(k) = high.row(k) = leaves_.columns(i)[k].transpose();
    } else {  // cells without end count up to where there are centers
      const Column* box = branches_.columns(i) + 2 * k;
      const Column* cell = box + 2 * inputs_;
      low.row(k) = cell[0].max(box[0].minCoeff()).transpose();
      high.row(k) = cell[1].min(box[1].maxCoeff()).max(low.row(k).transpose()).transpose();
    }
  }
  const auto scale = kernel.inverse_length_scale().array();
  const BoxCut cut = cut_boxes(low.colwise() * scale, high.colwise() * scale, kLeast);

  const std::int32_t second = level(l).add();
  Node& parent = branches_[first.node];
  const int second_slot = parent.count++;
  parent.below[static_cast<std::size_t>(second_slot)] = second;
  level(l)[second].parent = {first.node, second_slot};
  std::int32_t stays = 0;
  for (std::int32_t slot = 0; slot < kFan; ++slot) {
    if (cut.behind[static_cast<std::size_t>(slot)]) {
      move_entry(l, {i, slot}, {second, level(l)[second].count++});
    } else {
      move_entry(l, {i, slot}, {i, stays++});
    }
  }
  level(l)[i].count = stays;

  const Boxes outer = cells(first.node);
  for (Index k = 0; k < inputs_; ++k) {
    outer.low(k, second_slot) = outer.low(k, first.slot);
    outer.high(k, second_slot) = outer.high(k, first.slot);
  }
  if (l == 0) {
    const Column& along = leaves_.columns(i)[cut.input];
    const Column& beyond = leaves_.columns(second)[cut.input];
    const double between =
        0.5 * along.head(stays).maxCoeff() + 0.5 * beyond.head(leaves_[second].count).minCoeff();
    outer.high(cut.input, first.slot) = between;
    outer.low(cut.input, second_slot) = between;
  } else {
    for (const Place part : {first, Place{first.node, second_slot}}) {
      const std::int32_t branch = branches_[part.node].below[static_cast<std::size_t>(part.slot)];
      const Column* cell = cells(branch).bounds;
      const int count = branches_[branch].count;
      for (Index k = 0; k < inputs_; ++k) {
        outer.low(k, part.slot) = cell[2 * k].head(count).minCoeff();
        outer.high(k, part.slot) = cell[2 * k + 1].head(count).maxCoeff();
      }
    }
  }
  mend_boxes_above(l, second);
  mend_boxes_above(l, i);
}

void Centers::move_entry(int l, Place from, Place to) {
  const Index columns = l == 0 ? inputs_ : 4 * inputs_;
  for (Index k = 0; k < columns; ++k)
    level(l).columns(to.node)[k](to.slot) = level(l).columns(from.node)[k](from.slot);
  const std::int32_t moved = level(l)[from.node].below[static_cast<std::size_t>(from.slot)];
  level(l)[to.node].below[static_cast<std::size_t>(to.slot)] = moved;
  if (l == 0) {
    places_[static_cast<std::size_t>(moved)] = to;
  } else {
    level(l - 1)[moved].parent = to;
  }
}

// The boxes that contain node i, up to the first that needs no change.
void Centers::mend_boxes_above(int l, std::int32_t i) {
  for (Place place = level(l)[i].parent; place.node >= 0;
       i = place.node, place = level(++l)[i].parent) {
    const int count = level(l)[i].count;
    const Column* column = level(l).columns(i);
    const Boxes outer = boxes(place.node);
    bool changed = false;
    for (Index k = 0; k < inputs_; ++k) {
      const Column& lows = l == 0 ? column[k] : column[2 * k];
      const Column& highs = l == 0 ? column[k] : column[2 * k + 1];
      const double low = lows.head(count).minCoeff();
      const double high = highs.head(count).maxCoeff();
      changed = changed || outer.low(k, place.slot) != low || outer.high(k, place.slot) != high;
      outer.low(k, place.slot) = low;
      outer.high(k, place.slot) = high;
    }
    if (!changed) return;
  }
}

std::int32_t Centers::Nodes::add() {
  if (size_ % kChunk == 0) {
    chunks_.push_back(
        {{},
         std::vector<Column>(static_cast<std::size_t>(columns_ * kChunk), Column(Column::Zero()))});
  }
  return size_++;
}

std::size_t Centers::Nodes::memory_bytes() const {
  return chunks_.size() *
         (sizeof(Chunk) + static_cast<std::size_t>(columns_ * kChunk) * sizeof(Column));
}

std::size_t Centers::memory_bytes() const {
  return leaves_.memory_bytes() + branches_.memory_bytes() + places_.size() * sizeof(Place);
}

}  // namespace splitgp
