#include "core/watch/drift.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace splitgp {

using Eigen::Index;

// The groups that a row belongs to: its cell's, up to the whole stream, then its slabs'.
struct Drift::RowGroups {
  std::array<Index, kLevels + Slabs::kMostInputs * Slabs::kPartitions> all;
  std::size_t size = 0;
  const Index* begin() const { return all.data(); }
  const Index* end() const { return all.data() + size; }
};

Drift::RowGroups Drift::groups_of(Index local_gp, std::span<const Index> slabs) const {
  RowGroups groups;
  for (Index i = group_of(local_gp); i != kNone; i = group(i).parent) groups.all[groups.size++] = i;
  for (const Index slab : slabs) groups.all[groups.size++] = 1 + slab;
  return groups;
}

Drift::Drift(Index inputs, Index outputs, double rows_per_false_alarm)
    : slabs_(inputs),
      outputs_(outputs),
      threshold_(std::log(static_cast<double>(kKinds) * static_cast<double>(outputs) *
                          static_cast<double>(kLevels + slabs_.of_row()) * rows_per_false_alarm)),
      groups_(slabs_.count()) {
  for (Index i = 0; i < size(); ++i) begin(i, kNone);
}

// A new group, or an old one whose number is used again. Its scores go on from another's.
void Drift::begin(Index i, Index like) {
  if (ssize(watches_) == i * outputs_) {
    for (Index o = 0; o < outputs_; ++o) watches_.emplace_back();
  }
  for (Index o = 0; o < outputs_; ++o) {
    watch_at(i, o) = Watch();
    if (like != kNone) watch_at(i, o).scores = watch(like, o).scores;
  }
}

void Drift::reserve(Index local_gps) {
  groups_.reserve(local_gps);
  watches_.reserve(groups_.most(local_gps) * static_cast<std::size_t>(outputs_), Watch{});
}

void Drift::start() { begin(groups_.start(), kNone); }

void Drift::split(Index local_gp, Index child) {
  const Index parent = group_of(local_gp);
  const auto [first, second] = groups_.split(local_gp, child);
  begin(std::min(first, second), parent);
  begin(std::max(first, second), parent);
}

void Drift::clear(Index i) {
  groups_.change(i).alarmed = kNone;
  for (Index o = 0; o < outputs_; ++o) watch_at(i, o).sums = {};
}

std::optional<Drift::Found> Drift::observe(Index local_gp, std::uint64_t sequence,
                                           std::span<const Score> scores,
                                           std::span<const Index> slabs) {
  assert(std::ssize(scores) == outputs_);
  const RowGroups groups = groups_of(local_gp, slabs);
  Index alarmed = kNone;
  for (const Index i : groups) {
    groups_.change(i).last = sequence;
    if (group(i).alarmed != kNone) alarmed = i;
    for (Index o = 0; o < outputs_; ++o)
      watch_at(i, o).scores.add(scores[static_cast<std::size_t>(o)].value);
  }

  if (alarmed != kNone) {
    const auto detector = static_cast<std::size_t>(group(alarmed).alarmed);
    const auto output = static_cast<Index>(detector / kKinds);
    Cusum& sum = watch_at(alarmed, output).sums[detector % kKinds];
    const Score& score = scores[static_cast<std::size_t>(output)];
    sum.add(log_ratio(detector % kKinds, score.value), score.error, sequence);
    sum.evidence = std::min(sum.evidence, threshold_);
    if (sum.evidence == 0.0) clear(alarmed);
    return std::nullopt;
  }

  std::optional<Found> found;
  double most = threshold_;
  for (const Index i : groups) {
    for (Index o = 0; o < outputs_; ++o) {
      const Score& score = scores[static_cast<std::size_t>(o)];
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        Cusum& sum = watch_at(i, o).sums[kind];
        const bool wider = kind == static_cast<std::size_t>(DriftKind::wider);
        sum.add(log_ratio(kind, score.value), wider ? score.error * score.error : score.error,
                sequence);
        if (sum.evidence <= most) continue;
        most = sum.evidence;
        const double mean = sum.error / static_cast<double>(sum.rows);
        found = {i,         o,        static_cast<DriftKind>(kind),
                 sum.since, sum.rows, wider ? std::sqrt(mean) : mean};
      }
    }
  }
  if (!found) return found;
  // The alarm explains these rows, so the groups around it, and the slabs, begin anew. Groups
  // inside it will be heard when changed_cells() is asked; then they wait until it is over.
  groups_.change(found->group).alarmed =
      found->output * static_cast<Index>(kKinds) + static_cast<Index>(found->kind);
  for (Index i = group(found->group).parent; i != kNone; i = group(i).parent) clear(i);
  if (found->group != kStream) clear(kStream);
  for (const Index slab : slabs) {
    if (1 + slab != found->group) clear(1 + slab);
  }
  return found;
}

std::size_t Drift::memory_bytes() const {
  return groups_.memory_bytes() + watches_.reserved() * sizeof(Watch);
}

void Drift::restore(const Group& group, std::span<const Watch> watches) {
  assert(std::ssize(watches) == outputs_);
  if (!groups_.changed().empty()) watches_.clear();  // as it was constructed
  groups_.restore(group);
  for (const Watch& one : watches) watches_.push_back(one);
}

}  // namespace splitgp
