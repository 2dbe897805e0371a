#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/copyable_atomic.h"
#include "core/base/prefetch.h"
#include "core/kernel/theta.h"
#include "core/linalg/growing_cholesky.h"
#include "core/linalg/principal_direction.h"
#include "core/linalg/weighted_differences.h"
#include "core/local_gp/looked_back.h"
#include "splitgp/options.h"

namespace splitgp {

/// One observation being added to the model.
struct Observation {
  Eigen::Ref<const Eigen::VectorXd> x;
  Eigen::Ref<const Eigen::VectorXd> y;
  double noise_variance = 0.0;  // its own known noise
  std::uint64_t sequence = 0;
  double time = 0.0;  // kept if there is a max_age
};

/// Buffers for one thread's predictions and updates, so that the steady state allocates nothing.
struct Workspace {
  Eigen::MatrixXd columns;  // k(x, points) for one or several x, then L⁻¹ of it

  /// Columns of n rows, all aligned like the first: how Eigen vectorises a column, and so the last
  /// bit of its exponentials, depends on where the column starts.
  auto reserve(Eigen::Index n, Eigen::Index count) {
    if (columns.rows() < n || columns.cols() < count) {
      columns.resize(std::max(columns.rows(), (n + 7) / 8 * 8), std::max(columns.cols(), count));
    }
    return columns.topLeftCorner(n, count);
  }
};

/// What a prediction leaves for whoever then learns its x: w = L⁻¹k(x, points), which becomes the
/// factor's next row. Good for as long as the factor is the one that solved it.
struct SolvedRow {
  const double* w = nullptr;
  std::uint64_t factor_version = 0;
};

/// What predict_gradient() needs besides.
struct GradientWorkspace {
  Workspace slopes;          // of the kernel, one column for each query
  Workspace solved;          // L⁻ᵀ of w for each query, then of z for each output
  Eigen::MatrixXd weighted;  // these times the slopes, for one query
  Eigen::MatrixXd sums;      // d × (1 + outputs)
  WeightedDifferences differences;
};

/// Buffers for one split.
struct SplitWorkspace {
  Eigen::MatrixXd centered;  // the owned inputs, n × d
  Eigen::VectorXd along;     // where they lie along the principal direction
  Eigen::VectorXd direction;
  std::vector<bool> leaves;
  std::vector<std::size_t> order;

  void reserve(Eigen::Index owned, Eigen::Index inputs);
};

/// The factor of a local GP's points by a new θ, on its way: a few rows with every update, while
/// the local GP still answers by the old one (core/partition/renewing.h).
struct Renewal {
  ThetaPointer theta;
  GrowingCholesky factor;  // of the first points
  Eigen::MatrixXd solved;
  std::vector<std::uint8_t> jittered;
  Eigen::VectorXd x;
};

/// A GP over at most capacity + 1 observations: (X_i, Y_i, c_i) of the paper's Algorithms 1–3.
///
/// It *owns* the observations that were routed to it and that it kept in splits, and may *borrow*
/// others: those a split left to its sibling, and those its neighbors offered. It conditions on
/// both, but its center and its next split depend only on those it owns.
class LocalGp {
 public:
  LocalGp(Eigen::Index inputs, Eigen::Index outputs, ThetaPointer theta, const Options& options);

  /// Adds an owned observation and moves the center; returns the jitter needed. O(n²)
  /// Throws NumericalError and changes nothing if even the largest jitter fails.
  double append(const Observation& observation, Workspace& workspace) {
    const Step step = look_ahead(observation, workspace);
    append(observation, step, workspace);
    return step.jitter;
  }

  /// The same in two steps, for whoever may not want it: what append() will find, which changes
  /// nothing, and then to take it over.
  struct Step {
    double deviation;  // of what is predicted for an output of scale 1, noise included
    double jitter;
  };
  Step look_ahead(const Observation& observation, Workspace& workspace, SolvedRow known = {});
  void append(const Observation& observation, const Step& step, Workspace& workspace);
  /// What look_ahead() found: how far the observation is from the prediction of each output, in its
  /// standard deviations. Until anything else changes.
  auto looked_ahead() const { return solved_.row(size()); }
  /// What look_ahead() would have found without the points that are younger than each of
  /// LookedBack::kAges. `workspace` is as it has left it. O(n)
  void look_back(const Observation& observation, const Workspace& workspace,
                 LookedBack& result) const;

  /// If it now holds more than capacity + 1 points: drops the borrowed one farthest from the center
  /// and returns its sequence number. O(n²)
  std::optional<std::uint64_t> make_room(Workspace& workspace);

  /// Learns an observation that another local GP owns; false if it declines, and so is unchanged. A
  /// full one drops its farthest borrowed point for it, into `displaced`, or declines if this one
  /// is farther still. O(n²); a dormant one only takes note, O(n).
  bool borrow(const Observation& observation, Workspace& workspace,
              std::optional<std::uint64_t>& displaced, SolvedRow known = {});

  /// Owns an observation without learning from it: routing and Split need no factor. O(d)
  /// REQUIRES: it is dormant.
  void take_note(const Observation& observation);

  /// Drops points, given by their rows in ascending order, and moves the center if it owned some.
  /// O(n²) for each, or O(n³) once if they are many; O(n) if it is dormant.
  void forget(std::span<const Eigen::Index> rows);
  /// Takes over an observation that it has borrowed so far, or keeps one of its own as a borrowed
  /// one. O(n·d)
  void own(Eigen::Index j);
  void disown(Eigen::Index j);
  /// The row of an observation; -1 if it does not hold it. O(n)
  Eigen::Index find(std::uint64_t sequence) const;
  /// The row of the observation that it owns after `rank` others. O(n)  REQUIRES: rank < owned().
  Eigen::Index owned_row(Eigen::Index rank) const {
    Eigen::Index j = 0;
    while (!owns(j) || rank-- > 0) ++j;
    return j;
  }
  /// The variance that the function would have at point j without that point, over the prior's:
  /// near 0 where the others explain it. O(n²)  REQUIRES: it is awake.
  double leave_one_out_variance(Eigen::Index j, Workspace& workspace) const;
  /// How far point j is from what the others expect there. O(n²)  REQUIRES: it is awake.
  void leave_out(Eigen::Index j, Workspace& workspace, LookedBack& result) const;

  /// Factorises again with θ, O(n³); a dormant one only adopts θ.
  void refit(ThetaPointer theta);

  /// The same spread over many calls. begin_renewal() starts it, in buffers that stay until it is
  /// over; renew() adds rows to the new factor, at least one, until that has taken `most`
  /// operations (core/base/operations.h), and returns true once the local GP answers by the new θ.
  /// In between it may gain and lose points. O(most + n²)  REQUIRES: it is awake.
  void begin_renewal(Renewal& renewal);
  bool renew(std::uint64_t most, Workspace& workspace);
  void end_renewal() { renewal_.set(nullptr); }

  /// Takes and touches the memory for as many points as it may ever hold. From then on nothing
  /// about it allocates or frees, but for wake(), refit(), sleep() and splits without inherit.
  void reserve();
  /// Has no points, as a new one. Keeps its memory.
  void clear(ThetaPointer theta);

  /// μ_i(x) into `mean` and the latent σ_i²(x) of an output of scale 1, never negative. O(n²)
  struct Posterior {
    double variance;
    double explained;  // prior variance − posterior variance, without cancellation
  };
  Posterior predict(const Eigen::Ref<const Eigen::VectorXd>& x, Workspace& workspace,
                    Eigen::Ref<Eigen::VectorXd> mean) const;
  /// The same, to the bit, for each column of X; also, if asked, the local scale of every output.
  void predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Workspace& workspace,
               Eigen::Ref<Eigen::MatrixXd> means, std::span<Posterior> posteriors,
               Eigen::VectorXd* local_scales = nullptr) const;

  /// predict(), with the same bits, and its derivatives by x: O(n²) more, and O(n·d·(p + 1)).
  void predict_gradient(const Eigen::Ref<const Eigen::MatrixXd>& X, Workspace& workspace,
                        GradientWorkspace& gradient_workspace, Eigen::Ref<Eigen::MatrixXd> means,
                        std::span<Posterior> posteriors, Eigen::VectorXd* local_scales,
                        Eigen::Ref<Eigen::MatrixXd> gradients) const;

  /// predict_gradient() needs L⁻ᵀz, one backward substitution for each output, whatever x is.
  /// Without it it computes what it needs; solve_backward() keeps it until the factor changes.
  /// Other threads may predict meanwhile.  REQUIRES: the caller holds its lock
  /// (core/partition/wake_locks.h), and it is awake.
  bool knows_backward() const {
    return factor_.version() != 0 && backward_.version.load() == factor_.version();
  }
  void solve_backward() const;

  /// Where predict_gradient() writes in a query's column of `gradients`: d derivatives each.
  struct GradientRows {
    static constexpr Eigen::Index kExplained = 0;
    static constexpr Eigen::Index kVariance = 1;
    static constexpr Eigen::Index kMeans = 2;  // and one more for each further output
    static Eigen::Index count(Eigen::Index inputs, Eigen::Index outputs) {
      return (kMeans + outputs) * inputs;
    }
  };

  /// ŝ²: by how much the variance of an output differs here from what θ says; 1 without points.
  /// O(n)  REQUIRES: it is awake.
  double local_scale(Eigen::Index output) const;

  /// The owned inputs minus the center, in the space in which Split measures (owned × d).
  Eigen::MatrixXd centered_inputs() const {
    Eigen::MatrixXd centered;
    centered_inputs(centered);
    return centered;
  }
  void centered_inputs(Eigen::MatrixXd& centered) const;
  bool is_reserved() const { return reserved_; }
  /// First principal direction of centered_inputs(), exact or the current estimate of Oja's rule.
  Eigen::VectorXd principal_direction() const;

  /// Becomes the first child and returns the second, which owns the observations that leave: one
  /// flag for each owned observation, some of them true and some not. With inherit, both still
  /// condition on all points: the factor is copied, O(n²). Without it, each keeps only what it owns
  /// and is factorised again, O(n³).
  LocalGp divide(const std::vector<bool>& leaves);
  /// The same; `second` is a copy of it before.
  void divide(const std::vector<bool>& leaves, LocalGp& second);

  /// Everything in a local GP that cannot be computed from the rest, in the factor's order.
  struct Points {
    Eigen::MatrixXd inputs;   // n × d
    Eigen::MatrixXd outputs;  // n × p
    Eigen::VectorXd noise_variance;
    std::vector<std::uint64_t> sequence;
    std::vector<std::uint8_t> owned;
  };
  Points points() const;
  /// A local GP with these points, but dormant: without the factor.
  static LocalGp restore(Points points, ThetaPointer theta, const Options& options);
  /// A dormant local GP has no factor. wake() builds it, O(n³), sleep() drops it. Only predict()
  /// works without one, and then builds a temporary one every time.
  bool dormant() const { return !awake_.load(); }
  /// All that routing and Split need of it: dormant, with the points it owns, and a split leaves
  /// each half only its own.
  LocalGp outline() const;
  void wake();
  /// wake() for a prediction. Other threads may predict meanwhile: they find it dormant or with a
  /// complete factor.  REQUIRES: the caller holds its lock (core/partition/wake_locks.h).
  void wake_for_reading() const;
  void sleep();

  bool used = true;      // since core/partition/waking.cc last looked
  bool changed = false;  // since the last checkpoint (core/partition/changes.h)

  Eigen::Index size() const { return std::ssize(sequence_); }
  Eigen::Index owned() const { return n_owned_; }
  Eigen::Index borrowed() const { return size() - n_owned_; }
  bool owns(Eigen::Index j) const { return owned_[static_cast<std::size_t>(j)] != 0; }
  std::uint64_t sequence(Eigen::Index j) const { return sequence_[static_cast<std::size_t>(j)]; }
  /// The number of points that needed jitter.
  Eigen::Index jittered() const;
  const Eigen::VectorXd& center() const { return center_; }
  const Theta& theta() const { return *theta_; }
  const ThetaPointer& theta_pointer() const { return theta_; }
  const GrowingCholesky& factor() const { return factor_; }
  /// n × d and n × p.
  auto inputs() const { return inputs_.topRows(size()); }
  auto outputs() const { return outputs_.topRows(size()); }
  auto noise_variance() const { return noise_variance_.head(size()); }
  std::size_t memory_bytes() const;

  /// Prefetches what predict() and append() read first: with many local GPs it is not in the cache.
  void prefetch() const {
    splitgp::prefetch(inputs_.data(), static_cast<std::size_t>(inputs_.size()));
    factor_.prefetch();
    splitgp::prefetch(solved_.data(), static_cast<std::size_t>(solved_.size()));
  }

 private:
  LocalGp awake_copy() const;
  Eigen::Index capacity() const { return most_points_ - 2; }
  struct Farthest {
    Eigen::Index point = -1;  // none, if nothing is borrowed
    double squared_distance = -1.0;
    double squared_distance_of_last = 0.0;
  };
  Farthest farthest_borrowed(Eigen::Index rows, Workspace& workspace) const;
  Eigen::Index place(const Observation& observation);
  void own_last(const Observation& observation);
  void grow(Eigen::Index rows);
  void remove(Eigen::Index j);
  void keep_owned();
  void recompute_center();
  void factorise();
  Step solve_row(Eigen::Index row, const Eigen::Ref<const Eigen::VectorXd>& x, Workspace& workspace,
                 SolvedRow known);
  void append_to_factor(Eigen::Index row, const Eigen::Ref<const Eigen::VectorXd>& x,
                        Workspace& workspace, SolvedRow known = {});
  void predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Workspace& workspace,
               Eigen::Ref<Eigen::MatrixXd> means, std::span<Posterior> posteriors,
               Eigen::VectorXd* local_scales, Workspace* slopes) const;
  void fall_back_gradient(const Eigen::Ref<const Eigen::VectorXd>& x,
                          const Eigen::Ref<const Eigen::VectorXd>& w, const Posterior& posterior,
                          Eigen::Ref<Eigen::VectorXd> gradient) const;
  void fall_back(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> mean,
                 Posterior& posterior) const;
  double lift_noise(Eigen::Index row) const;
  double lift_pivot(double pivot_squared, double diagonal) const;
  Eigen::VectorXd in_split_space(const Eigen::Ref<const Eigen::VectorXd>& difference) const;

  void exchange(Renewal& renewal);

  ThetaPointer theta_;
  Eigen::Index most_points_;  // capacity + 2: one more than is ever held between updates
  bool inherit_;
  bool reserved_ = false;
  PrincipalDirection direction_;
  SplitSpace split_space_;
  Eigen::Index n_owned_ = 0;
  Eigen::VectorXd center_;

  // Row j belongs to the j-th point of the factor; rows beyond size() are spare.
  Eigen::MatrixXd inputs_;
  Eigen::MatrixXd outputs_;
  Eigen::VectorXd noise_variance_;
  std::vector<std::uint8_t> jittered_;
  std::vector<std::uint64_t> sequence_;
  std::vector<std::uint8_t> owned_;

  GrowingCholesky factor_;
  Eigen::MatrixXd solved_;  // z = L⁻¹ (y − prior mean) / output_scale, for each output

  // L⁻ᵀz, and of which version of the factor. Atomic, because predicting threads check it while one
  // computes it.
  struct Backward {
    Eigen::MatrixXd columns;
    CopyableAtomic<std::uint64_t> version{0};
  } backward_;

  // A copy is not being renewed.
  class OwnRenewal {
   public:
    OwnRenewal() = default;
    OwnRenewal(const OwnRenewal&) {}
    OwnRenewal& operator=(const OwnRenewal&) {
      renewal_ = nullptr;
      return *this;
    }
    OwnRenewal(OwnRenewal&& other) noexcept : renewal_(std::exchange(other.renewal_, nullptr)) {}
    OwnRenewal& operator=(OwnRenewal&& other) noexcept {
      renewal_ = std::exchange(other.renewal_, nullptr);
      return *this;
    }
    Renewal* get() const { return renewal_; }
    void set(Renewal* renewal) { renewal_ = renewal; }

   private:
    Renewal* renewal_ = nullptr;
  } renewal_;

  OjaDirection oja_;  // of the owned inputs; idle unless direction_ is oja

  // Whether the factor is there. Atomic, because predicting threads check it while one builds it.
  CopyableAtomic<bool> awake_{true};
};

}  // namespace splitgp
