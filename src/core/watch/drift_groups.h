#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/spare_deque.h"

namespace splitgp {

/// The groups of cells that detectors run on, from each cell to the whole stream.
///
/// Groups come from splits: a local GP that is split leaves its group to both children, which begin
/// groups of their own. So each local GP is in a chain of groups, of at most kLevels. Beside this
/// tree there are the slabs (core/watch/slabs.h): slab k is group 1 + k, with no parent and no
/// cells. A number that is free is used again.
///
/// A split costs O(kLevels), and O(cells of a group) when it dissolves one.
class DriftGroups {
 public:
  static constexpr int kLevels = 16;
  static constexpr Eigen::Index kStream = 0;  // the group of all local GPs
  static constexpr Eigen::Index kNone = -1;

  struct Group {
    Eigen::Index parent = kNone;
    Eigen::Index first_child = kNone;  // its children are a list, …
    Eigen::Index next = kNone;         // … linked in both
    Eigen::Index previous = kNone;     // directions
    Eigen::Index local_gp = kNone;     // whose cell it is, if it has no children
    Eigen::Index cells = 0;            // how many are in it
    std::uint64_t last = 0;            // the sequence number of its last row
    std::int64_t alarmed = kNone;      // the detector whose alarm goes on; kNone: none
    bool used = true;                  // false: its number is free
    bool changed = true;               // since the store last looked
  };

  explicit DriftGroups(Eigen::Index slabs);

  Eigen::Index size() const { return ssize(groups_); }
  const Group& operator[](Eigen::Index i) const { return groups_[static_cast<std::size_t>(i)]; }
  /// For its last row and its alarm; notes that it changes.
  Group& change(Eigen::Index i);
  bool is_slab(Eigen::Index i) const { return i >= 1 && i <= slabs_; }
  /// The group of one cell alone.
  Eigen::Index leaf(Eigen::Index local_gp) const {
    return leaves_[static_cast<std::size_t>(local_gp)];
  }

  /// The first local GP, number 0; returns its group.
  Eigen::Index start();
  /// Returns the groups that both begin.
  std::pair<Eigen::Index, Eigen::Index> split(Eigen::Index local_gp, Eigen::Index child);
  void remove(Eigen::Index local_gp);
  void renumber(Eigen::Index from, Eigen::Index to);

  /// How many groups so many local GPs may have.
  std::size_t most(Eigen::Index local_gps) const;
  void reserve(Eigen::Index local_gps);
  std::size_t memory_bytes() const;

  /// A group as it was stored: its parent, local GP, last row and alarm. The numbers of all groups
  /// come in order, from the whole stream's on. Then restored() links them, and returns false if
  /// they are no tree with one leaf for each of `local_gps`.
  void restore(const Group& group);
  bool restored(Eigen::Index local_gps);
  /// The groups that changed since written() was last called; none of a restored one.
  const std::vector<Eigen::Index>& changed() const { return touched_; }
  void written();

 private:
  Group& at(Eigen::Index i) { return groups_[static_cast<std::size_t>(i)]; }
  void set_leaf(Eigen::Index local_gp, Eigen::Index group);
  Eigen::Index add(Eigen::Index parent);
  void free(Eigen::Index i);
  void link(Eigen::Index i, Eigen::Index parent);
  void unlink(Eigen::Index i);
  void dissolve(Eigen::Index i);
  void shorten(Eigen::Index leaf);

  Eigen::Index slabs_;
  SpareDeque<Group> groups_;           // kStream first
  std::vector<Eigen::Index> leaves_;   // each local GP's own group
  std::vector<Eigen::Index> free_;     // groups that are not used
  std::vector<Eigen::Index> touched_;  // groups that are `changed`
};

}  // namespace splitgp
