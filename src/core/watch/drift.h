#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/base/spare_deque.h"
#include "core/watch/slabs.h"
#include "splitgp/results.h"

namespace splitgp {

/// What one output of an observation tells the detectors.
struct Score {
  double value = 0.0;  ///< Its innovation as a normal score: N(0, 1) if all is right.
  double error = 0.0;  ///< In the output's units, cut off where the score is.
};

/// The innovation z of an error with Student's t distribution and variance 1 as a normal score, cut
/// off at ±3: a single absurd reading must not count for much. By Wallace's approximation
/// √(ν log(1 + t²/ν))·(8ν + 1)/(8ν + 3), good to 0.05 down to ν = 2.5.
double normal_score(double z, double degrees_of_freedom);

/// Watches whether the stream changes: in one cell, in a group of neighbouring cells, in a slab of
/// the input space, or as a whole.
///
/// A slab is all rows with one input in some range (core/watch/slabs.h): what changes often changes
/// there, at some temperature or speed, and cells are too small, or cut otherwise, to see it soon.
/// Groups of cells come from splits: a local GP that is split leaves its group to both children,
/// which begin groups of their own. So each local GP is in a chain of groups, from its own cell to
/// the whole stream, of at most kLevels. Each group runs three detectors for each output. Each is a
/// CUSUM: it adds up log likelihood ratios of a changed stream to an unchanged one, and begins anew
/// at 0 whenever the sum is negative. An alarm is a sum above
/// log(3·outputs·groups·rows_per_false_alarm): on an unchanged stream a CUSUM needs e^h rows of its
/// own, at least, to reach h on average (Lorden 1971), and a row belongs to so many groups at most,
/// kLevels and its slabs, however many there are.
///
/// The cost of a row is O((kLevels + inputs)·outputs), and of a split the same on average.
class Drift {
 public:
  static constexpr int kLevels = 16;
  static constexpr std::size_t kKinds = 3;
  static constexpr Eigen::Index kStream = 0;  // the group of all local GPs
  static constexpr Eigen::Index kNone = -1;

  /// One CUSUM.
  struct Sum {
    double evidence = 0.0;    // in nats; 0: nothing speaks for a change
    double error = 0.0;       // of the rows since it was last 0, or squared if wider
    std::uint64_t rows = 0;   // how many
    std::uint64_t since = 0;  // the first one's sequence number
  };
  /// What a group knows about one output.
  struct Watch {
    double mean_square = 1.0;  // of scores, exponentially weighted
    std::uint64_t rows = 0;    // over how many
    std::array<Sum, kKinds> sums;
  };
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

  Drift(Eigen::Index inputs, Eigen::Index outputs, double rows_per_false_alarm);

  /// Slab k is group 1 + k; it has no parent and no cells.
  const Slabs& slabs() const { return slabs_; }
  bool is_slab(Eigen::Index group) const { return group >= 1 && group <= slabs_.count(); }

  /// The first local GP, number 0.
  void start();
  void split(Eigen::Index local_gp, Eigen::Index child);
  /// A local GP is no more. Its number may be used again.
  void remove(Eigen::Index local_gp);
  /// A local GP gets another number, which must be free or its own.
  void renumber(Eigen::Index from, Eigen::Index to);

  /// An alarm as the detectors see it.
  struct Found {
    Eigen::Index group = kNone;
    Eigen::Index output = 0;
    DriftKind kind = DriftKind::up;
    std::uint64_t change_point = 0;
    std::uint64_t rows = 0;
    double size = 0.0;  // in the output's units
  };
  /// One row of a local GP and of these slabs, with a score for each output. While an alarm goes
  /// on, until its CUSUM is back at 0, its rows tell nothing else.
  std::optional<Found> observe(Eigen::Index local_gp, std::uint64_t sequence,
                               std::span<const Score> scores,
                               std::span<const Eigen::Index> slabs = {});

  /// Room for so many local GPs: their rows, splits and merges then allocate nothing.
  void reserve(Eigen::Index local_gps);

  /// Whether some group of this local GP has half the evidence that an alarm needs, or an alarm.
  bool suspects(Eigen::Index local_gp) const;

  /// Which of the group's local GPs have changed: those whose rows since the change speak for it,
  /// in their cell and in all groups between. Those without such rows, if they are few and nearly
  /// all others have. The owner of the row that raised the alarm has. Of a slab, `inside` are the
  /// local GPs in it. Sorted. O(cells of the group)
  std::vector<Eigen::Index> changed_cells(const Found& found, Eigen::Index owner,
                                          std::span<const Eigen::Index> inside = {}) const {
    std::vector<Eigen::Index> cells, silent;
    changed_cells(found, owner, inside, cells, silent);
    return cells;
  }
  /// The same into `cells`; `silent` is a buffer.
  void changed_cells(const Found& found, Eigen::Index owner, std::span<const Eigen::Index> inside,
                     std::vector<Eigen::Index>& cells, std::vector<Eigen::Index>& silent) const;

  /// The group has reacted in these cells: what their rows said is settled, and the alarm over.
  void settle(const Found& found, std::span<const Eigen::Index> cells);

  InnovationStatistics stream_statistics(Eigen::Index output) const {
    return statistics(kStream, output);
  }
  InnovationStatistics statistics_of(Eigen::Index local_gp, Eigen::Index output) const {
    return statistics(leaf(local_gp), output);
  }
  double threshold() const { return threshold_; }
  std::size_t memory_bytes() const;

  /// For storing a model.
  Eigen::Index size() const { return ssize(groups_); }
  Eigen::Index outputs() const { return outputs_; }
  /// The group of one cell alone.
  Eigen::Index group_of(Eigen::Index local_gp) const { return leaf(local_gp); }
  const Group& group(Eigen::Index i) const { return groups_[static_cast<std::size_t>(i)]; }
  const Watch& watch(Eigen::Index i, Eigen::Index output) const {
    return watches_[static_cast<std::size_t>(i * outputs_ + output)];
  }
  /// A group as it was stored: its parent, local GP, last row and alarm. The numbers of all groups
  /// come in order, from the whole stream's on. Then restored() links them, and returns false if
  /// they are no tree with one leaf for each of `local_gps`.
  void restore(const Group& group, std::span<const Watch> watches);
  bool restored(Eigen::Index local_gps);
  /// The groups that changed since written() was last called; none of a restored one.
  const std::vector<Eigen::Index>& changed() const { return touched_; }
  void written();

 private:
  Group& at(Eigen::Index i) { return groups_[static_cast<std::size_t>(i)]; }
  Watch& watch_at(Eigen::Index i, Eigen::Index output) {
    return watches_[static_cast<std::size_t>(i * outputs_ + output)];
  }
  Eigen::Index leaf(Eigen::Index local_gp) const {
    return leaves_[static_cast<std::size_t>(local_gp)];
  }
  void set_leaf(Eigen::Index local_gp, Eigen::Index group);
  Eigen::Index add(Eigen::Index parent, Eigen::Index like);
  void free(Eigen::Index i);
  void link(Eigen::Index i, Eigen::Index parent);
  void unlink(Eigen::Index i);
  void dissolve(Eigen::Index i);
  void shorten(Eigen::Index leaf);
  void touch(Eigen::Index i);
  void clear(Eigen::Index i);
  void add_row(Sum& sum, double ratio, double error, std::uint64_t sequence) const;
  InnovationStatistics statistics(Eigen::Index i, Eigen::Index output) const;

  struct RowGroups;
  RowGroups groups_of(Eigen::Index local_gp, std::span<const Eigen::Index> slabs) const;

  Slabs slabs_;
  Eigen::Index outputs_;
  double threshold_;
  SpareDeque<Group> groups_;           // kStream first
  SpareDeque<Watch> watches_;          // of group 0, of group 1, …
  std::vector<Eigen::Index> leaves_;   // each local GP's own group
  std::vector<Eigen::Index> free_;     // groups that are not used
  std::vector<Eigen::Index> touched_;  // groups that are `changed`
};

}  // namespace splitgp
