#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/base/spare_deque.h"
#include "core/kernel/theta.h"
#include "core/local_gp/local_gp.h"
#include "core/partition/centers.h"
#include "core/partition/changes.h"
#include "core/partition/holders.h"
#include "core/partition/renewing.h"
#include "core/partition/wake_locks.h"
#include "splitgp/results.h"

namespace splitgp {

/// To whom a row goes: the local GPs most similar to x, of which the first, I, will own it. What
/// they have solved for x if a prediction has just asked them, in the same order; valid until this
/// thread's next prediction.
struct Route {
  std::span<const Neighbor> similar;
  std::span<const SolvedRow> solved;

  Eigen::Index owner() const { return similar.front().local_gp; }
  SolvedRow solved_by(std::size_t rank) const {
    return rank < solved.size() ? solved[rank] : SolvedRow{};
  }
};

/// 𝒜 of the paper: the local GPs, where they are, how they came about, and who holds what. Which
/// local GP holds which observation changes through its functions only.
struct Partition {
  explicit Partition(Eigen::Index inputs) : centers(inputs) {}

  LocalGp& at(Eigen::Index i) { return local_gps[static_cast<std::size_t>(i)]; }
  const LocalGp& at(Eigen::Index i) const { return local_gps[static_cast<std::size_t>(i)]; }
  Eigen::Index size() const { return ssize(local_gps); }

  /// If C = 0: the first observation makes the first local GP.
  void start(const Observation& first, const ThetaPointer& theta, const Options& options);

  /// I ← argmax_i k(x, c_i), and the `count` most similar in all.
  Route route(const Eigen::Ref<const Eigen::VectorXd>& x, const Kernel& kernel, Eigen::Index count);

  /// What the owner will find when it learns the observation; changes nothing. O(capacity²)
  /// If `back` is given, also what it would have found with less knowledge; now and then that
  /// takes one more solve.
  LocalGp::Step look_ahead(const Route& route, const Observation& observation,
                           LookedBack* back = nullptr);
  /// Appends the observation to its owner, to which look_ahead() was the last thing that happened;
  /// a borrowed point makes room. An outline takes note of it. O(capacity²)
  void append(const Route& route, const Observation& observation, const LocalGp::Step& step,
              UpdateResult& result);
  /// If n_I > m: Split (Algorithm 1). Either way the centers follow. Returns whom the cut took from
  /// local GP I, one flag for each that it owned; nothing without a split.
  const std::vector<bool>& split_if_full(Eigen::Index I, const Observation& observation,
                                         const Kernel& kernel, const Options& options,
                                         UpdateResult& result);
  /// Whoever will be asked about an observation has to know it, whoever owns it: offers it to the
  /// most similar local GPs after the owner. O(capacity²) for each of them
  void offer(const Route& route, const Observation& observation, UpdateResult& result);

  /// Drops observations from one local GP, O(capacity²) for each; its center follows if it still
  /// owns some.
  void drop(Eigen::Index local_gp, std::span<const std::uint64_t> sequences, const Kernel& kernel);
  /// Has another local GP own point j of local GP `from`, which keeps it as a borrowed one: the
  /// most similar one that has borrowed it, which costs nothing but a flag, or the most similar one
  /// at all, O(capacity²). None takes more than it may own; false if nobody can.
  bool give_away(Eigen::Index from, Eigen::Index j, const Kernel& kernel, const Options& options);
  /// Removes a local GP that owns nothing; the last one gets its number. O(capacity)
  void remove(Eigen::Index local_gp);

  /// Who owns an observation that is held.
  Eigen::Index owner_of(std::uint64_t sequence);
  /// Begins to know who holds what; O(points held) the first time.
  void know_holders();
  /// Begins to record what the next checkpoint has to write, with nothing changed.
  void record_changes();
  /// Everything has been written. O(how much that was)
  void clear_changes();

  SpareDeque<LocalGp> local_gps;  // a vector would move them all when it grows
  Centers centers;                // c_i, kept together for the search
  std::vector<SplitRecord> split_history;
  std::uint64_t splits_dropped = 0;  // from its front (core/base/bounded_history.h)

  std::uint64_t held = 0;    // observations; each has one owner
  std::uint64_t oldest = 0;  // none of them has a smaller number
  Holders holders;           // who holds them, once something was or may be forgotten
  Changes changes;           // since the last checkpoint, if there are checkpoints

  Renewing renewing;  // which θ they have, and which is on its way

  bool may_be_dormant = false;  // some local GPs may lack their factors: it was loaded, or …
  Eigen::Index factor_cache_limit =
      0;  // … only this many may have them (core/partition/waking.h); 0: all
  std::deque<Eigen::Index> awake;  // those that do, least recent first; kept if there is a limit
  WakeLocks wake_locks;

  // Scratch space of these functions.
  Workspace workspace;
  SplitWorkspace split_workspace;
  std::vector<Neighbor> neighbors;
  std::vector<Eigen::Index> found;
  std::vector<Eigen::Index> dropped;
  Eigen::VectorXd given_x, given_y;
  std::vector<std::uint64_t> spare_leaving;  // for the first result that names those

 private:
  void gained(Eigen::Index local_gp, std::uint64_t sequence);
  void lost(Eigen::Index local_gp, std::uint64_t sequence);
  void mark_changed(Eigen::Index local_gp);
  Eigen::Index best_borrower(std::uint64_t sequence, Eigen::Index but, const Kernel& kernel,
                             Eigen::Index split_limit);
  Eigen::Index best_neighbor(Eigen::Index but, const Kernel& kernel, Eigen::Index split_limit);
};

}  // namespace splitgp
