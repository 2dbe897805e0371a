#include "core/watch/drift.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace splitgp {

using Eigen::Index;

namespace {

// Scores are cut off here: one row adds at most 2.7 nats.
constexpr double kCutOff = 3.0;
// The changes that the detectors are made for: by a standard deviation, and to twice the deviation.
// They find larger ones sooner, and smaller ones from half of that on.
constexpr double kShift = 1.0;
constexpr double kWidening = 2.0;
// The memory of the mean square, in rows: 199 of them count like the last 100.
constexpr double kMemory = 100.0;

// A sum of errors stays below this, and so stays finite.
constexpr double kLargestError = 1e300;

double log_ratio(std::size_t kind, double score) {
  static const double log_widening = std::log(kWidening);
  switch (kind) {
    case 0:
      return kShift * (score - 0.5 * kShift);
    case 1:
      return kShift * (-score - 0.5 * kShift);
    default:
      return 0.5 * (1.0 - 1.0 / (kWidening * kWidening)) * score * score - log_widening;
  }
}

// A cell is taken for changed if its evidence is at least this, or this for each row of it.
constexpr double kLikely = 1.5;
constexpr double kLikelyPerRow = 0.4;

// If this share of the cells with rows since the change has changed, and they are not less than
// half as many as the others, these have too. A changed cell's first row speaks for the change four
// times out of five, an unchanged one's one time out of five.
constexpr double kNearlyAll = 0.6;

bool is_likely(const Drift::Sum& sum) {
  return sum.evidence >= std::min(kLikely, kLikelyPerRow * static_cast<double>(sum.rows)) &&
         sum.rows > 0;
}

}  // namespace

double normal_score(double z, double degrees_of_freedom) {
  if (std::isnan(z)) return 0.0;  // 0/0 says nothing
  double score = std::abs(z);
  const double nu = degrees_of_freedom;
  if (nu < 1e6 && score < 1e100) {
    const double t_squared = score * score * nu / (nu - 2.0);
    score = std::sqrt(nu * std::log1p(t_squared / nu)) * (8.0 * nu + 1.0) / (8.0 * nu + 3.0);
  }
  return std::copysign(std::min(score, kCutOff), z);
}

// The groups that a row belongs to: its cell's, up to the whole stream, then its slabs'.
struct Drift::RowGroups {
  std::array<Index, kLevels + Slabs::kMostInputs * Slabs::kPartitions> all;
  std::size_t size = 0;
  const Index* begin() const { return all.data(); }
  const Index* end() const { return all.data() + size; }
};

Drift::RowGroups Drift::groups_of(Index local_gp, std::span<const Index> slabs) const {
  RowGroups groups;
  for (Index i = leaf(local_gp); i != kNone; i = group(i).parent) groups.all[groups.size++] = i;
  for (const Index slab : slabs) groups.all[groups.size++] = 1 + slab;
  return groups;
}

Drift::Drift(Index inputs, Index outputs, double rows_per_false_alarm)
    : slabs_(inputs),
      outputs_(outputs),
      threshold_(std::log(static_cast<double>(kKinds) * static_cast<double>(outputs) *
                          static_cast<double>(kLevels + slabs_.of_row()) * rows_per_false_alarm)) {
  for (Index i = 0; i <= slabs_.count(); ++i) add(kNone, kNone);
}

void Drift::touch(Index i) {
  if (at(i).changed) return;
  at(i).changed = true;
  touched_.push_back(i);
}

Index Drift::add(Index parent, Index like) {
  Index i;
  if (free_.empty()) {
    i = ssize(groups_);
    groups_.emplace_back();
    for (Index o = 0; o < outputs_; ++o) watches_.emplace_back();
    // So that rows allocate nothing: each group is in this list once at most.
    if (touched_.capacity() < groups_.size()) touched_.reserve(2 * groups_.size());
    touched_.push_back(i);  // a new group is changed
  } else {
    i = free_.back();
    free_.pop_back();
    touch(i);
    at(i) = Group{.changed = true};
    for (Index o = 0; o < outputs_; ++o) watch_at(i, o) = Watch();
  }
  if (parent != kNone) link(i, parent);
  if (like != kNone) {
    for (Index o = 0; o < outputs_; ++o) {
      watch_at(i, o).mean_square = watch(like, o).mean_square;
      watch_at(i, o).rows = watch(like, o).rows;
    }
    at(i).last = at(like).last;
  }
  return i;
}

// A group that is not one cell's has two others in it at least, so there are not twice as many as
// cells, besides the whole stream and the slabs.
void Drift::reserve(Index local_gps) {
  const auto most = static_cast<std::size_t>(2 * local_gps + 2 + slabs_.count());
  groups_.reserve(most, Group{});
  watches_.reserve(most * static_cast<std::size_t>(outputs_), Watch{});
  leaves_.reserve(static_cast<std::size_t>(local_gps));
  free_.reserve(most);
  touched_.reserve(2 * most);
}

void Drift::free(Index i) {
  touch(i);
  at(i) = Group{.used = false, .changed = true};
  free_.push_back(i);
}

void Drift::link(Index i, Index parent) {
  Group& group = at(i);
  group.parent = parent;
  group.previous = kNone;
  group.next = at(parent).first_child;
  if (group.next != kNone) at(group.next).previous = i;
  at(parent).first_child = i;
}

void Drift::unlink(Index i) {
  const Group& group = at(i);
  if (group.next != kNone) at(group.next).previous = group.previous;
  if (group.previous != kNone) {
    at(group.previous).next = group.next;
  } else {
    at(group.parent).first_child = group.next;
  }
}

void Drift::set_leaf(Index local_gp, Index group) {
  if (local_gp >= std::ssize(leaves_))
    leaves_.resize(static_cast<std::size_t>(local_gp + 1), kNone);
  leaves_[static_cast<std::size_t>(local_gp)] = group;
  at(group).local_gp = local_gp;
  touch(group);
}

void Drift::start() {
  const Index i = add(kStream, kNone);
  set_leaf(0, i);
  at(i).cells = 1;
  at(kStream).cells = 1;
}

void Drift::split(Index local_gp, Index child) {
  const Index parent = leaf(local_gp);
  at(parent).local_gp = kNone;
  touch(parent);
  const Index first = add(parent, parent);
  const Index second = add(parent, parent);
  set_leaf(local_gp, first);
  set_leaf(child, second);
  at(first).cells = at(second).cells = 1;
  for (Index i = parent; i != kNone; i = at(i).parent) ++at(i).cells;
  shorten(first);
}

// If the chain is too long: dissolves the group in it that is most like its parent, so that the
// sizes of the others stay as different as can be.
void Drift::shorten(Index last) {
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
void Drift::dissolve(Index i) {
  const Index parent = at(i).parent;
  for (Index child = at(i).first_child; child != kNone;) {
    const Index next = at(child).next;
    link(child, parent);
    touch(child);
    child = next;
  }
  unlink(i);
  free(i);
}

void Drift::remove(Index local_gp) {
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

void Drift::renumber(Index from, Index to) {
  if (from == to) return;
  assert(leaf(to) == kNone);
  const Index i = leaf(from);
  leaves_[static_cast<std::size_t>(from)] = kNone;
  set_leaf(to, i);
}

void Drift::clear(Index i) {
  touch(i);
  at(i).alarmed = kNone;
  for (Index o = 0; o < outputs_; ++o) watch_at(i, o).sums = {};
}

void Drift::add_row(Sum& sum, double ratio, double error, std::uint64_t sequence) const {
  if (sum.evidence == 0.0) sum = {0.0, 0.0, 0, sequence};
  sum.evidence += ratio;
  if (sum.evidence <= 0.0) {
    sum = {};
    return;
  }
  // Squares of errors near 1e150 may leave the range of doubles, and a file refuses such a sum.
  const double total = sum.error + error;
  if (!std::isnan(total)) sum.error = std::clamp(total, -kLargestError, kLargestError);
  ++sum.rows;
}

std::optional<Drift::Found> Drift::observe(Index local_gp, std::uint64_t sequence,
                                           std::span<const Score> scores,
                                           std::span<const Index> slabs) {
  assert(std::ssize(scores) == outputs_);
  const RowGroups groups = groups_of(local_gp, slabs);
  Index alarmed = kNone;
  for (const Index i : groups) {
    touch(i);
    if (at(i).alarmed != kNone) alarmed = i;
    at(i).last = sequence;
    for (Index o = 0; o < outputs_; ++o) {
      Watch& watch = watch_at(i, o);
      const double square = std::pow(scores[static_cast<std::size_t>(o)].value, 2);
      ++watch.rows;
      // The first rows count alike.
      watch.mean_square +=
          (square - watch.mean_square) / std::min(kMemory, static_cast<double>(watch.rows));
    }
  }

  if (alarmed != kNone) {
    const auto detector = static_cast<std::size_t>(at(alarmed).alarmed);
    const auto output = static_cast<Index>(detector / kKinds);
    Sum& sum = watch_at(alarmed, output).sums[detector % kKinds];
    const Score& score = scores[static_cast<std::size_t>(output)];
    add_row(sum, log_ratio(detector % kKinds, score.value), score.error, sequence);
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
        Sum& sum = watch_at(i, o).sums[kind];
        const bool wider = kind == static_cast<std::size_t>(DriftKind::wider);
        add_row(sum, log_ratio(kind, score.value), wider ? score.error * score.error : score.error,
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
  at(found->group).alarmed =
      found->output * static_cast<Index>(kKinds) + static_cast<Index>(found->kind);
  for (Index i = at(found->group).parent; i != kNone; i = at(i).parent) clear(i);
  if (found->group != kStream) clear(kStream);
  for (const Index slab : slabs) {
    if (1 + slab != found->group) clear(1 + slab);
  }
  return found;
}

bool Drift::suspects(Index local_gp) const {
  for (Index i = leaf(local_gp); i != kNone; i = group(i).parent) {
    if (group(i).alarmed != kNone) return true;
    for (Index o = 0; o < outputs_; ++o) {
      for (const Sum& sum : watch(i, o).sums) {
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
    const bool is_silent = group(leaf(local_gp)).last < found.change_point;
    if (!is_silent) ++heard;
    if (likely) (is_silent ? silent : cells).push_back(local_gp);
  };
  if (is_slab(found.group)) {
    for (const Index local_gp : inside) look_at(local_gp, speaks_for_it(leaf(local_gp)));
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
    for (Index i = leaf(local_gp); i != kNone; i = at(i).parent) clear(i);
  }
  clear(found.group);
}

// An exponentially weighted mean of squares with weight 1/M for the last one varies like one of
// 2M − 1 normal scores, a χ² over its degrees of freedom; its quantiles by Wilson and Hilferty.
InnovationStatistics Drift::statistics(Index i, Index output) const {
  const Watch& known = watch(i, output);
  InnovationStatistics result;
  result.mean_square = known.mean_square;
  result.rows = known.rows;
  const double degrees = std::clamp(static_cast<double>(known.rows), 1.0, 2.0 * kMemory - 1.0);
  const auto quantile = [&](double normal) {
    const double part = 2.0 / (9.0 * degrees);
    return std::pow(std::max(0.0, 1.0 - part + normal * std::sqrt(part)), 3);
  };
  constexpr double kNormal975 = 1.959963984540054;
  result.lower = quantile(-kNormal975);
  result.upper = quantile(kNormal975);
  return result;
}

std::size_t Drift::memory_bytes() const {
  return groups_.reserved() * sizeof(Group) + watches_.reserved() * sizeof(Watch) +
         (leaves_.capacity() + free_.capacity() + touched_.capacity()) * sizeof(Index);
}

void Drift::restore(const Group& group, std::span<const Watch> watches) {
  assert(std::ssize(watches) == outputs_);
  if (!touched_.empty()) {  // as it was constructed
    groups_.clear();
    watches_.clear();
    touched_.clear();
  }
  groups_.push_back(group);
  groups_.back().changed = false;
  for (const Watch& one : watches) watches_.push_back(one);
}

bool Drift::restored(Index local_gps) {
  if (size() < 1 + slabs_.count() || at(kStream).parent != kNone) return false;
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
  Index reached = 1 + slabs_.count();
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

void Drift::written() {
  for (const Index i : touched_) at(i).changed = false;
  touched_.clear();
}

}  // namespace splitgp
