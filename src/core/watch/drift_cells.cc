// Which cells an alarm is about, and what is done about it.

#include <algorithm>

#include "core/watch/drift.h"

namespace splitgp {

using Eigen::Index;

namespace {

// A cell is taken for changed if its evidence is at least this, or this for each row of it.
constexpr double kLikely = 1.5;
constexpr double kLikelyPerRow = 0.4;

// If this share of the cells with rows since the change has changed, and they are not less than
// half as many as the others, these have too. A changed cell's first row speaks for the change four
// times out of five, an unchanged one's one time out of five.
constexpr double kNearlyAll = 0.6;

bool is_likely(const Cusum& sum) {
  return sum.evidence >= std::min(kLikely, kLikelyPerRow * static_cast<double>(sum.rows)) &&
         sum.rows > 0;
}

}  // namespace

bool Drift::suspects(Index local_gp) const {
  for (Index i = group_of(local_gp); i != kNone; i = group(i).parent) {
    if (group(i).alarmed != kNone) return true;
    for (Index o = 0; o < outputs_; ++o) {
      for (const Cusum& sum : watch(i, o).sums) {
        if (sum.evidence > 0.5 * threshold_) return true;
      }
    }
  }
  return false;
}

void Drift::changed_cells(const Found& found, Index owner, std::span<const Index> inside,
                          std::vector<Index>& cells, std::vector<Index>& silent) const {
  cells.clear();
  silent.clear();  // without rows since the change
  Index heard = 0;
  const auto speaks_for_it = [&](Index i) {
    return group(i).last < found.change_point ||
           is_likely(watch(i, found.output).sums[static_cast<std::size_t>(found.kind)]);
  };
  const auto look_at = [&](Index local_gp, bool likely) {
    likely = likely || local_gp == owner;
    const bool is_silent = group(group_of(local_gp)).last < found.change_point;
    if (!is_silent) ++heard;
    if (likely) (is_silent ? silent : cells).push_back(local_gp);
  };
  if (is_slab(found.group)) {
    for (const Index local_gp : inside) look_at(local_gp, speaks_for_it(group_of(local_gp)));
  } else {
    // Down the group's own tree, which has at most kLevels levels.
    const auto look_below = [&](const auto& self, Index i, bool likely) -> void {
      if (group(i).local_gp != kNone) look_at(group(i).local_gp, likely);
      for (Index j = group(i).first_child; j != kNone; j = group(j).next)
        self(self, j, likely && speaks_for_it(j));
    };
    look_below(look_below, found.group, true);
    std::sort(cells.begin(), cells.end());
  }
  if (2 * cells.size() >= silent.size() &&
      static_cast<double>(cells.size()) >= kNearlyAll * static_cast<double>(heard)) {
    cells.insert(cells.end(), silent.begin(), silent.end());
    std::sort(cells.begin(), cells.end());
  }
}

void Drift::settle(const Found& found, std::span<const Index> cells) {
  for (const Index local_gp : cells) {
    for (Index i = group_of(local_gp); i != kNone; i = group(i).parent) clear(i);
  }
  clear(found.group);
}

}  // namespace splitgp
