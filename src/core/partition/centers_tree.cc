// How the tree in Centers follows them: insertion, moves, division of full nodes.
#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "core/partition/centers.h"
#include "core/partition/cut_boxes.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

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

void Centers::set(Index local_gp, const VectorXd& center, const Kernel& kernel) {
  assert(local_gp <= size() && center.size() == inputs_);
  if (local_gp == size()) {
    insert(local_gp, center, kernel);
  } else {
    move(local_gp, center, kernel);
    if (is_recut() && local_gp < recut_[0].size()) recut_[0].set(local_gp, center, kernel);
  }
}

// Descends to the leaf whose cell it is in. Full nodes are divided on the way, so that there is
// room for one more entry wherever a division below needs it.
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
      // One of the two halves, not the nearest of all: on the border of two cells, that might be a
      // third node that is also full.
      const int second = branches_[at].count - 1;
      const Column distance = distance_to_cells(at, kernel, center);
      if (distance(second) < distance(slot)) slot = second;
    }
    at = branches_[at].below[static_cast<std::size_t>(slot)];
  }
  put({at, leaves_[at].count++}, local_gp, center);
  mend_boxes_above(0, at);
}

// Moves it to the leaf where it now belongs, if that has room and the old leaf is not left empty: a
// branch never loses what is below it, which bounds the height.
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
  replace(local_gp, center);
}

// Where it is, whether it belongs there or not: searches stay exact.
void Centers::replace(Index local_gp, const VectorXd& center) {
  const Place place = places_[static_cast<std::size_t>(local_gp)];
  put(place, local_gp, center);
  mend_boxes_above(0, place.node);
}

VectorXd Centers::center(Index local_gp) const {
  const Place place = places_[static_cast<std::size_t>(local_gp)];
  VectorXd result(inputs_);
  for (Index k = 0; k < inputs_; ++k) result(k) = leaves_.columns(place.node)[k](place.slot);
  return result;
}

void Centers::follow(const Kernel& kernel) {
  constexpr Index kAtOnce = 8;    // a few microseconds
  constexpr double kQuite = 2.0;  // one input measured so many times finer, next to another
  if (places_.keeps()) return;
  const VectorXd& units = kernel.inverse_length_scale();
  if (seen_.size() == 0 || units != seen_) {
    if (seen_.size() == 0) cut_for_ = units;
    seen_ = units;
    const Eigen::ArrayXd finer = units.array() / cut_for_.array();
    recut_.clear();  // of an earlier θ
    if (finer.maxCoeff() > kQuite * finer.minCoeff() && height_ > 0) recut_.emplace_back(inputs_);
  }
  if (!is_recut()) return;
  Centers& recut = recut_[0];
  for (Index i = 0; i < kAtOnce && recut.size() < size(); ++i)
    recut.set(recut.size(), center(recut.size()), kernel);
  if (recut.size() < size()) return;
  recut.cut_for_ = recut.seen_ = units;
  Centers complete = std::move(recut);
  *this = std::move(complete);
}

void Centers::remove(Index local_gp) {
  assert(0 <= local_gp && local_gp < size());
  if (is_recut() && local_gp < recut_[0].size()) {
    Centers& recut = recut_[0];
    if (recut.size() == size()) {
      recut.remove(local_gp);
    } else {  // what gets this number is not in the new tree yet
      recut.replace(local_gp, center(size() - 1));
    }
  }
  remove_entry(0, places_[static_cast<std::size_t>(local_gp)]);
  const Place last = places_.back();
  places_.pop_back();
  if (local_gp == size()) return;
  places_[static_cast<std::size_t>(local_gp)] = last;
  leaves_[last.node].below[static_cast<std::size_t>(last.slot)] =
      static_cast<std::int32_t>(local_gp);
}

// Takes an entry out of a node, and the node out of its parent if it was the last one. The cell of
// a node that is gone belongs to nobody; what falls there goes to the nearest one.
void Centers::remove_entry(int l, Place place) {
  Node& node = level(l)[place.node];
  const int last = --node.count;
  if (place.slot != last) move_entry(l, {place.node, last}, place);
  if (last > 0) {
    mend_boxes_above(l, place.node);
  } else {
    const Place parent = node.parent;
    level(l).free(place.node);
    if (parent.node >= 0) {
      remove_entry(l + 1, parent);
    } else {
      root_ = -1;
      height_ = -1;
    }
  }
  // A root with one node below is not needed.
  while (height_ > 0 && branches_[root_].count == 1) {
    const std::int32_t below = branches_[root_].below[0];
    branches_.free(root_);
    root_ = below;
    level(--height_)[root_].parent = Place{};
  }
}

bool Centers::belongs(std::int32_t leaf, const VectorXd& center) const {
  const Place place = leaves_[leaf].parent;
  if (place.node < 0) return true;
  const Column* cell = cell_bounds(place.node);
  for (Index k = 0; k < inputs_; ++k, cell += 2) {
    if (center(k) < cell[0](place.slot) || center(k) > cell[1](place.slot)) return false;
  }
  return true;
}

void Centers::put(Place place, Index local_gp, const VectorXd& center) {
  for (Index k = 0; k < inputs_; ++k) leaves_.columns(place.node)[k](place.slot) = center(k);
  leaves_[place.node].below[static_cast<std::size_t>(place.slot)] =
      static_cast<std::int32_t>(local_gp);
  places_[static_cast<std::size_t>(local_gp)] = place;
}

// A new root above the old one; the old root's cell is the whole space.
void Centers::add_root(int root_level) {
  const std::int32_t below = root_;
  root_ = level(root_level).add();
  height_ = root_level;
  if (root_level == 0) return;
  branches_[root_].count = 1;
  branches_[root_].below[0] = below;
  level(root_level - 1)[below].parent = {root_, 0};
  constexpr double kEverywhere = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < inputs_; ++k) {
    cells(root_).low(k, 0) = -kEverywhere;
    cells(root_).high(k, 0) = kEverywhere;
  }
}

// Cuts a full node in two, a leaf among its centers, a branch between the cells below it.
// REQUIRES: it has a parent, which has room.
void Centers::divide(int l, std::int32_t i, const Kernel& kernel) {
  // Fewest entries in a part; with this, a branch can nearly always be cut between cells.
  constexpr int kLeast = 5;
  const Place first = level(l)[i].parent;
  Eigen::ArrayXXd& low = cutter_.low;
  Eigen::ArrayXXd& high = cutter_.high;
  low.resize(inputs_, kFan);
  high.resize(inputs_, kFan);
  for (Index k = 0; k < inputs_; ++k) {
    if (l == 0) {
      low.row(k) = high.row(k) = leaves_.columns(i)[k].transpose();
    } else {  // unbounded cells count only as far as there are centers
      const Column* box = branches_.columns(i) + 2 * k;
      const Column* cell = cell_bounds(i) + 2 * k;
      low.row(k) = cell[0].max(box[0].minCoeff()).transpose();
      high.row(k) = cell[1].min(box[1].maxCoeff()).max(low.row(k).transpose()).transpose();
    }
  }
  const auto scale = kernel.inverse_length_scale().array();
  low.colwise() *= scale;
  high.colwise() *= scale;
  const BoxCut& cut = cutter_.cut(kLeast);

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
      const Column* cell = cell_bounds(branch);
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

// Grows or shrinks the boxes that contain node i, up to the first that needs no change.
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
  if (!free_.empty()) {
    const std::int32_t reused = free_.back();
    free_.pop_back();
    (*this)[reused] = Node{};
    return reused;
  }
  if (size_ % kChunk == 0) {
    chunks_.push_back(
        {{},
         std::vector<Column>(static_cast<std::size_t>(columns_ * kChunk), Column(Column::Zero()))});
  }
  return size_++;
}

void Centers::Nodes::reserve(std::int32_t size) {
  free_.reserve(static_cast<std::size_t>(std::max(size, size_)));
  const std::int32_t before = size_;
  std::vector<std::int32_t> was_free = std::move(free_);
  free_.clear();
  while (size_ < size) add();
  free_ = std::move(was_free);
  free_.reserve(static_cast<std::size_t>(size_));
  for (std::int32_t i = size_; i-- > before;) free_.push_back(i);
}

// No node is empty, so there are no more leaves than centers; on each level above, at most as many.
// Half as many branches as centers is far more than a tree has that is not nearly empty.
void Centers::reserve(Index size) {
  const auto most = static_cast<std::int32_t>(size);
  places_.reserve(static_cast<std::size_t>(size), Place{});
  leaves_.reserve(most);
  branches_.reserve(most / 2 + 8);
  cutter_.reserve(inputs_, kFan);
}

}  // namespace splitgp
