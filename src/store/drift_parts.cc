#include "store/drift_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

namespace splitgp::store {
namespace {

using Eigen::Index;

constexpr std::size_t kMostGroups = 8192;  // of one part, so that a part is half a megabyte or so

void pack(const Drift& drift, Index number, PackedNumbers& packed) {
  const Drift::Group& group = drift.group(number);
  packed.count(static_cast<std::uint64_t>(number));
  packed.count(group.used ? 1 : 0);
  // kNone, −1, becomes 0.
  packed.count(static_cast<std::uint64_t>(group.parent + 1));
  packed.count(static_cast<std::uint64_t>(group.local_gp + 1));
  packed.count(static_cast<std::uint64_t>(group.alarmed + 1));
  packed.count(group.last);
  for (Index o = 0; o < drift.outputs(); ++o) {
    const Drift::Watch& watch = drift.watch(number, o);
    packed.real(watch.scores.value);
    packed.count(watch.scores.rows);
    for (const Cusum& sum : watch.sums) {
      packed.count(sum.rows);
      if (sum.rows == 0) continue;  // the sum is 0, as most are
      packed.count(sum.since);
      packed.real(sum.evidence);
      packed.real(sum.error);
    }
  }
}

// Reads one group behind its number; false if it is none.
bool unpack(NumberUnpacker& packed, Index outputs, Drift::Group& group, Drift::Watch* watches) {
  const auto index = [&packed] { return static_cast<Index>(packed.count()) - 1; };
  const std::uint64_t used = packed.count();
  group.used = used == 1;
  group.parent = index();
  group.local_gp = index();
  group.alarmed = index();
  group.last = packed.count();
  bool good = used <= 1 && group.last <= std::uint64_t{kMostCounted} &&
              group.parent >= Drift::kNone && group.local_gp >= Drift::kNone &&
              group.alarmed >= Drift::kNone &&
              group.alarmed < outputs * static_cast<Index>(Drift::kKinds);
  for (Index o = 0; o < outputs; ++o) {
    Drift::Watch& watch = watches[o];
    watch.scores.value = packed.real();
    watch.scores.rows = packed.count();
    good = good && watch.scores.value >= 0.0 && std::isfinite(watch.scores.value) &&
           watch.scores.rows <= std::uint64_t{kMostCounted};
    for (Cusum& sum : watch.sums) {
      sum = {};
      sum.rows = packed.count();
      if (sum.rows == 0) continue;
      sum.since = packed.count();
      sum.evidence = packed.real();
      sum.error = packed.real();
      good = good && sum.evidence >= 0.0 && std::isfinite(sum.evidence) &&
             std::isfinite(sum.error) && sum.rows <= std::uint64_t{kMostCounted} &&
             sum.since <= std::uint64_t{kMostCounted};
    }
  }
  return good && packed.good();
}

}  // namespace

DriftParts::DriftParts(Database& database)
    : part_(database, "drift_part", 6, TableWriter::Same::fails),
      erase_(database, "drift_part", "number = ?") {}

void DriftParts::resume(const Database& database) {
  held_ = {};
  if (TableReader first(database, "drift_part", "number"); first.next())
    held_.begin = first.count();
  TableReader last(database, "drift_part", "number DESC");
  if (!last.next()) return;
  held_.end = last.count() + 1;
  held_.needed = last.count();
  held_.round = last.count();
  held_.cursor = last.count();
}

// Those that changed, and as many others from the cursor on.
void DriftParts::choose(const Drift& drift) {
  chosen_.clear();
  const auto size = static_cast<std::uint64_t>(drift.size());
  if (next_.begin == next_.end) {
    for (Index i = 0; i < drift.size(); ++i) chosen_.push_back(i);
    next_.cursor = size;
  } else {
    chosen_ = drift.changed();
    const std::size_t most = 2 * chosen_.size();
    for (; chosen_.size() < most && next_.cursor < size; ++next_.cursor) {
      const auto i = static_cast<Index>(next_.cursor);
      if (!drift.group(i).changed) chosen_.push_back(i);
    }
  }
}

void DriftParts::write(const Drift& drift) {
  next_ = held_;
  choose(drift);
  if (chosen_.empty()) return;
  const std::uint64_t parts = (chosen_.size() + kMostGroups - 1) / kMostGroups;
  // First, so that the new ones take the place of the old ones in the file.
  for (std::uint64_t i = 0; i < 2 * parts && next_.begin < next_.needed; ++i)
    erase_.erase(next_.begin++);
  const std::uint64_t first = next_.end;
  next_.end += parts;
  if (next_.cursor >= static_cast<std::uint64_t>(drift.size())) {
    next_.needed = next_.round;
    next_.round = next_.end;
    next_.cursor = 0;
  }
  for (std::uint64_t part = 0; part < parts; ++part) {
    packed_.clear();
    const std::size_t end = std::min(chosen_.size(), (part + 1) * kMostGroups);
    for (std::size_t i = part * kMostGroups; i < end; ++i) pack(drift, chosen_[i], packed_);
    part_.add(first + part).add(next_.needed).add(next_.round).add(next_.cursor);
    part_.add_bytes(packed_.bytes()).write();
  }
}

void read_drift_parts(const Database& database, Drift& drift, Index local_gps) {
  const Index outputs = drift.outputs();
  std::unordered_map<std::uint64_t, std::size_t> places;
  std::vector<Drift::Group> groups;
  std::vector<Drift::Watch> watches;  // of groups[0], of groups[1], …
  std::optional<std::int64_t> next;
  TableReader rows(database, "drift_part", "number");
  while (rows.next()) {
    const std::int64_t number = rows.integer("number", 0, kMostCounted);
    if (next && number != *next) rows.fail("drift part " + std::to_string(*next) + " is missing");
    next = number + 1;
    const std::int64_t needed = rows.integer("needed", 0, number);
    rows.integer("round", needed, number + kMostCounted);
    rows.integer("cursor", 0, kMostCounted);
    NumberUnpacker packed(rows.bytes());
    rows.end_row();
    while (!packed.done()) {
      const std::uint64_t group = packed.count();
      const auto [at, is_new] = places.try_emplace(group, groups.size());
      if (is_new) {
        groups.emplace_back();
        watches.resize(watches.size() + static_cast<std::size_t>(outputs));
      }
      if (!unpack(packed, outputs, groups[at->second],
                  watches.data() + at->second * static_cast<std::size_t>(outputs)))
        rows.fail("group " + std::to_string(group) + " is not what detectors know");
    }
  }
  for (std::uint64_t i = 0; i < groups.size(); ++i) {
    const auto at = places.find(i);
    if (at == places.end())
      throw damaged(database.path(),
                    "table drift_part does not have drift group " + std::to_string(i));
    const std::size_t place = at->second;
    drift.restore(groups[place],
                  std::span(watches).subspan(place * static_cast<std::size_t>(outputs),
                                             static_cast<std::size_t>(outputs)));
  }
  if (!drift.restored(local_gps))
    throw damaged(database.path(), "table drift_part does not have a group for each local GP");
}

}  // namespace splitgp::store
