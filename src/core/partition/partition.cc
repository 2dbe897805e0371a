#include "core/partition/partition.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/partition/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

// With every so many rows one of the owner's points is left out: a solve, which is about a tenth of
// what an update costs.
constexpr std::uint64_t kLeaveOutEvery = 8;

// One of its own points, which follows from the row's number alone.
void leave_out(const LocalGp& owner, std::uint64_t row, Workspace& workspace, LookedBack& back) {
  back.share(LookedBack::kLeftOut) = 0.0;
  if (row % kLeaveOutEvery != 0 || owner.owned() == 0) return;
  const std::uint64_t mixed = (row / kLeaveOutEvery + 1) * 0x9e3779b97f4a7c15u;
  const auto rank = (mixed ^ (mixed >> 32)) % static_cast<std::uint64_t>(owner.owned());
  owner.leave_out(owner.owned_row(static_cast<Index>(rank)), workspace, back);
}

}  // namespace

void Partition::start(const Observation& first, const ThetaPointer& theta, const Options& options) {
  assert(size() == 0);
  if (LocalGp* const spare = local_gps.take_spare()) {
    spare->clear(theta);
  } else {
    local_gps.emplace_back(first.x.size(), first.y.size(), theta, options);
  }
  centers.set(0, first.x, theta->kernel);
  keep_awake(*this, 0);
}

Route Partition::route(const Eigen::Ref<const Eigen::VectorXd>& x, const Kernel& kernel,
                       Index count) {
  centers.most_similar(kernel, x, count, neighbors);
  return {neighbors, {}};
}

LocalGp::Step Partition::look_ahead(const Route& route, const Observation& observation,
                                    LookedBack* back) {
  LocalGp& owner = at(route.owner());
  owner.prefetch();
  wake(*this, route.owner());
  if (back != nullptr) leave_out(owner, observation.sequence, workspace, *back);
  const LocalGp::Step step = owner.look_ahead(observation, workspace, route.solved_by(0));
  if (back != nullptr) owner.look_back(observation, workspace, *back);
  return step;
}

void Partition::append(const Route& route, const Observation& observation,
                       const LocalGp::Step& step, UpdateResult& result) {
  const Index I = route.owner();
  LocalGp& owner = at(I);
  if (owner.dormant()) {
    owner.take_note(observation);
  } else {
    owner.append(observation, step, workspace);
  }
  ++held;
  gained(I, observation.sequence);
  result.record.jitter = step.jitter;
  result.record.displaced = owner.make_room(workspace);
  if (result.record.displaced) lost(I, *result.record.displaced);
}

void Partition::offer(const Route& route, const Observation& observation, UpdateResult& result) {
  for (std::size_t rank = 1; rank < route.similar.size(); ++rank) {
    Borrowing borrowing{route.similar[rank].local_gp, std::nullopt};
    LocalGp& local = at(borrowing.local_gp);
    if (!local.borrow(observation, workspace, borrowing.displaced, route.solved_by(rank))) continue;
    result.record.borrowed.add(borrowing);
    gained(borrowing.local_gp, observation.sequence);
    if (borrowing.displaced) lost(borrowing.local_gp, *borrowing.displaced);
  }
}

void Partition::drop(Index local_gp, std::span<const std::uint64_t> sequences,
                     const Kernel& kernel) {
  LocalGp& local = at(local_gp);
  dropped.clear();
  for (const std::uint64_t sequence : sequences) {
    dropped.push_back(local.find(sequence));
    lost(local_gp, sequence);
  }
  std::sort(dropped.begin(), dropped.end());
  const Index owned = local.owned();
  local.forget(dropped);
  if (local.owned() < owned && local.owned() > 0) centers.set(local_gp, local.center(), kernel);
}

void Partition::remove(Index local_gp) {
  assert(at(local_gp).owned() == 0);
  at(local_gp).end_renewal();
  for (Index j = 0; j < at(local_gp).size(); ++j) holders.erase(at(local_gp).sequence(j), local_gp);
  centers.remove(local_gp);

  const Index last = size() - 1;
  renewing.follow_removal(local_gp, last, at(last));
  if (local_gp != last) {
    LocalGp& moved = at(local_gp);
    std::swap(moved, local_gps.back());
    for (Index j = 0; j < moved.size(); ++j) holders.rename(moved.sequence(j), last, local_gp);
    // Numbers in `awake` that now mean another one, or none, do no harm: see let_sleep.
    if (!moved.dormant()) keep_awake(*this, local_gp);
    moved.changed = false;  // under its new number it has
  }
  local_gps.pop_back();
  if (local_gp != last) mark_changed(local_gp);
}

Index Partition::owner_of(std::uint64_t sequence) {
  holders.of(sequence, found);
  return *std::find_if(found.begin(), found.end(),
                       [&](Index i) { return at(i).owns(at(i).find(sequence)); });
}

void Partition::gained(Index local_gp, std::uint64_t sequence) {
  holders.add(sequence, local_gp);
  mark_changed(local_gp);
}

void Partition::lost(Index local_gp, std::uint64_t sequence) {
  holders.erase(sequence, local_gp);
  mark_changed(local_gp);
}

void Partition::mark_changed(Index local_gp) {
  if (!changes.recorded || at(local_gp).changed) return;
  at(local_gp).changed = true;
  changes.local_gps.push_back(local_gp);
}

void Partition::know_holders() {
  if (holders.started()) return;
  holders.start();
  for (Index i = 0; i < size(); ++i) {
    for (Index j = 0; j < at(i).size(); ++j) holders.add(at(i).sequence(j), i);
  }
}

void Partition::record_changes() {
  changes = {};
  changes.recorded = true;
  for (LocalGp& local : local_gps) local.changed = false;
}

void Partition::clear_changes() {
  for (const Index i : changes.local_gps) {
    if (i < size()) at(i).changed = false;
  }
  changes.local_gps.clear();
  changes.forgotten.clear();
}

}  // namespace splitgp
