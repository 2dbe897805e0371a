#include "core/watch/drift_groups.h"

#include <algorithm>
#include <cassert>

namespace splitgp {

using Eigen::Index;

DriftGroups::DriftGroups(Index slabs) : slabs_(slabs) {
  for (Index i = 0; i <= slabs; ++i) add(kNone);
}

DriftGroups::Group& DriftGroups::change(Index i) {
  if (!at(i).changed) {
    at(i).changed = true;
    touched_.push_back(i);
  }
  return at(i);
}

Index DriftGroups::add(Index parent) {
  Index i;
  if (free_.empty()) {
    i = size();
    groups_.emplace_back();
    // So that rows allocate nothing: each group is in this list once at most.
    if (touched_.capacity() < groups_.size()) touched_.reserve(2 * groups_.size());
    touched_.push_back(i);  // a new group is changed
  } else {
    i = free_.back();
    free_.pop_back();
    change(i) = Group{.changed = true};
  }
  if (parent != kNone) {
    link(i, parent);
    at(i).last = at(parent).last;
  }
  return i;
}

// A group that is not one cell's has two others in it at least, so there are not twice as many as
// cells, besides the whole stream and the slabs.
std::size_t DriftGroups::most(Index local_gps) const {
  return static_cast<std::size_t>(2 * local_gps + 2 + slabs_);
}

void DriftGroups::reserve(Index local_gps) {
  groups_.reserve(most(local_gps), Group{});
  leaves_.reserve(static_cast<std::size_t>(local_gps));
  free_.reserve(most(local_gps));
  touched_.reserve(2 * most(local_gps));
}

void DriftGroups::free(Index i) {
  change(i) = Group{.used = false, .changed = true};
  free_.push_back(i);
}

void DriftGroups::link(Index i, Index parent) {
  Group& group = at(i);
  group.parent = parent;
  group.previous = kNone;
  group.next = at(parent).first_child;
  if (group.next != kNone) at(group.next).previous = i;
  at(parent).first_child = i;
}

void DriftGroups::unlink(Index i) {
  const Group& group = at(i);
  if (group.next != kNone) at(group.next).previous = group.previous;
  if (group.previous != kNone) {
    at(group.previous).next = group.next;
  } else {
    at(group.parent).first_child = group.next;
  }
}

void DriftGroups::set_leaf(Index local_gp, Index group) {
  if (local_gp >= std::ssize(leaves_))
    leaves_.resize(static_cast<std::size_t>(local_gp + 1), kNone);
  leaves_[static_cast<std::size_t>(local_gp)] = group;
  change(group).local_gp = local_gp;
}

Index DriftGroups::start() {
  const Index i = add(kStream);
  at(i).last = 0;
  set_leaf(0, i);
  at(i).cells = 1;
  at(kStream).cells = 1;
  return i;
}

std::pair<Index, Index> DriftGroups::split(Index local_gp, Index child) {
  const Index parent = leaf(local_gp);
  change(parent).local_gp = kNone;
  const Index first = add(parent);
  const Index second = add(parent);
  set_leaf(local_gp, first);
  set_leaf(child, second);
  at(first).cells = at(second).cells = 1;
  for (Index i = parent; i != kNone; i = at(i).parent) ++at(i).cells;
  shorten(first);
  return {first, second};
}

// If the chain is too long: dissolves the group in it that is most like its parent, so that the
// sizes of the others stay as different as can be.
void DriftGroups::shorten(Index last) {
  int levels = 0;
  Index most = kNone;
  double most_alike = 0.0;
  for (Index i = last; i != kNone; i = at(i).parent) {
    ++levels;
    if (i == last || i == kStream) continue;
    const double alike =
        static_cast<double>(at(i).cells) / static_cast<double>(at(at(i).parent).cells);
    if (alike <= most_alike) continue;
    most = i;
    most_alike = alike;
  }
  if (levels > kLevels) dissolve(most);
}

// Its children go to its parent.
void DriftGroups::dissolve(Index i) {
  const Index parent = at(i).parent;
  for (Index child = at(i).first_child; child != kNone;) {
    const Index next = at(child).next;
    link(child, parent);
    change(child);
    child = next;
  }
  unlink(i);
  free(i);
}

void DriftGroups::remove(Index local_gp) {
  const Index i = leaf(local_gp);
  const Index parent = at(i).parent;
  leaves_[static_cast<std::size_t>(local_gp)] = kNone;
  for (Index j = parent; j != kNone; j = at(j).parent) --at(j).cells;
  unlink(i);
  free(i);
  // A group of one cell is that cell's.
  const Index only = at(parent).first_child;
  if (parent != kStream && only != kNone && at(only).next == kNone) dissolve(parent);
}

void DriftGroups::renumber(Index from, Index to) {
  if (from == to) return;
  assert(leaf(to) == kNone);
  const Index i = leaf(from);
  leaves_[static_cast<std::size_t>(from)] = kNone;
  set_leaf(to, i);
}

std::size_t DriftGroups::memory_bytes() const {
  return groups_.reserved() * sizeof(Group) +
         (leaves_.capacity() + free_.capacity() + touched_.capacity()) * sizeof(Index);
}

void DriftGroups::restore(const Group& group) {
  if (!touched_.empty()) {  // as it was constructed
    groups_.clear();
    touched_.clear();
  }
  groups_.push_back(group);
  groups_.back().changed = false;
}

bool DriftGroups::restored(Index local_gps) {
  if (size() < 1 + slabs_ || at(kStream).parent != kNone) return false;
  leaves_.assign(static_cast<std::size_t>(local_gps), kNone);
  for (Index i = size() - 1; i >= 0; --i) {
    const Group& known = at(i);
    if (!known.used) {
      if (i == kStream || is_slab(i)) return false;
      free_.push_back(i);
      continue;
    }
    if (is_slab(i)) {
      if (known.parent != kNone || known.local_gp != kNone) return false;
      continue;
    }
    if (i != kStream) {
      if (is_slab(known.parent)) return false;
      if (known.parent < 0 || known.parent >= size() || !at(known.parent).used) return false;
      link(i, known.parent);
    }
    if (known.local_gp == kNone) continue;
    if (known.local_gp < 0 || known.local_gp >= local_gps || leaf(known.local_gp) != kNone ||
        i == kStream) {
      return false;
    }
    leaves_[static_cast<std::size_t>(known.local_gp)] = i;
  }
  // A cell's own group has no children, and every other one has some, down to cells; the chain of
  // each ends at the whole stream.
  Index reached = 1 + slabs_;
  for (Index local_gp = 0; local_gp < local_gps; ++local_gp) {
    Index i = leaf(local_gp);
    if (i == kNone || at(i).first_child != kNone) return false;
    int levels = 1;
    for (; i != kStream; i = at(i).parent) {
      if (++levels > kLevels) return false;
      if (at(i).cells++ == 0) ++reached;
    }
    ++at(kStream).cells;
  }
  return reached + std::ssize(free_) == size();
}

void DriftGroups::written() {
  for (const Index i : touched_) at(i).changed = false;
  touched_.clear();
}

}  // namespace splitgp
