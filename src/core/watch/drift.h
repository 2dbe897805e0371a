#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/spare_deque.h"
#include "core/watch/cusum.h"
#include "core/watch/drift_groups.h"
#include "core/watch/mean_square.h"
#include "core/watch/normal_score.h"
#include "core/watch/slabs.h"
#include "splitgp/results.h"

namespace splitgp {

/// Watches whether the stream changes: in one cell, in a group of neighbouring cells
/// (core/watch/drift_groups.h), in a slab of the input space, or as a whole.
///
/// A slab is all rows with one input in some range (core/watch/slabs.h): what changes often changes
/// there, at some temperature or speed, and cells are too small, or cut otherwise, to see it soon.
/// Each group and slab runs three detectors for each output (core/watch/cusum.h). An alarm is
/// evidence above log(3·outputs·groups·rows_per_false_alarm): on an unchanged stream a detector
/// needs e^h rows of its own to reach h, and a row belongs to so many groups at most, kLevels and
/// its slabs, however many there are.
///
/// The cost of a row is O((kLevels + inputs)·outputs), and of a split the same on average.
class Drift {
 public:
  static constexpr int kLevels = DriftGroups::kLevels;
  static constexpr std::size_t kKinds = kChangeKinds;
  static constexpr Eigen::Index kStream = DriftGroups::kStream;
  static constexpr Eigen::Index kNone = DriftGroups::kNone;

  using Group = DriftGroups::Group;
  /// What a group knows about one output.
  struct Watch {
    MeanSquare scores;
    std::array<Cusum, kKinds> sums;
  };

  Drift(Eigen::Index inputs, Eigen::Index outputs, double rows_per_false_alarm);

  /// Slab k is group 1 + k; it has no parent and no cells.
  const Slabs& slabs() const { return slabs_; }
  bool is_slab(Eigen::Index group) const { return groups_.is_slab(group); }

  /// The first local GP, number 0.
  void start();
  void split(Eigen::Index local_gp, Eigen::Index child);
  /// A local GP is no more. Its number may be used again.
  void remove(Eigen::Index local_gp) { groups_.remove(local_gp); }
  /// A local GP gets another number, which must be free or its own.
  void renumber(Eigen::Index from, Eigen::Index to) { groups_.renumber(from, to); }

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
  /// local GPs in it. Sorted; `silent` is a buffer. O(cells of the group)
  void changed_cells(const Found& found, Eigen::Index owner, std::span<const Eigen::Index> inside,
                     std::vector<Eigen::Index>& cells, std::vector<Eigen::Index>& silent) const;

  /// The group has reacted in these cells: what their rows said is settled, and the alarm over.
  void settle(const Found& found, std::span<const Eigen::Index> cells);

  InnovationStatistics stream_statistics(Eigen::Index output) const {
    return watch(kStream, output).scores.statistics();
  }
  InnovationStatistics statistics_of(Eigen::Index local_gp, Eigen::Index output) const {
    return watch(group_of(local_gp), output).scores.statistics();
  }
  std::size_t memory_bytes() const;

  /// For storing a model.
  Eigen::Index size() const { return groups_.size(); }
  Eigen::Index outputs() const { return outputs_; }
  /// The group of one cell alone.
  Eigen::Index group_of(Eigen::Index local_gp) const { return groups_.leaf(local_gp); }
  const Group& group(Eigen::Index i) const { return groups_[i]; }
  const Watch& watch(Eigen::Index i, Eigen::Index output) const {
    return watches_[static_cast<std::size_t>(i * outputs_ + output)];
  }
  /// As DriftGroups::restore(), with what the group knows.
  void restore(const Group& group, std::span<const Watch> watches);
  bool restored(Eigen::Index local_gps) { return groups_.restored(local_gps); }
  /// The groups that changed since written() was last called; none of a restored one.
  const std::vector<Eigen::Index>& changed() const { return groups_.changed(); }
  void written() { groups_.written(); }

 private:
  Watch& watch_at(Eigen::Index i, Eigen::Index output) {
    return watches_[static_cast<std::size_t>(i * outputs_ + output)];
  }
  void begin(Eigen::Index i, Eigen::Index like);
  void clear(Eigen::Index i);

  struct RowGroups;
  RowGroups groups_of(Eigen::Index local_gp, std::span<const Eigen::Index> slabs) const;

  Slabs slabs_;
  Eigen::Index outputs_;
  double threshold_;
  DriftGroups groups_;
  SpareDeque<Watch> watches_;  // of group 0, of group 1, …
};

}  // namespace splitgp
