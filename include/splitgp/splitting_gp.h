#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "splitgp/ahead.h"
#include "splitgp/error.h"
#include "splitgp/hyperparameters.h"
#include "splitgp/options.h"
#include "splitgp/results.h"
#include "splitgp/storage.h"

namespace splitgp {

/// For an observation without a time.
inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

/// Streaming Gaussian-process regression: m = Options::split_limit bounds the cost of every update.
///
/// Terry & Choe, "Splitting Gaussian Process Regression for Streaming Data": the model is a set of
/// local GPs that share one kernel. Update gives an observation to the local GP with the most
/// similar center and splits it when it owns more than m; Predict is a continuous weighted average.
/// docs/paper_map.md leads from the paper to the code and lists every deviation.
///
/// Threads: const methods may run from many threads at once; every other method needs exclusive
/// access. Values must be finite and at most 1e150 in magnitude.
///
/// Errors: after an InvalidArgument, and after a const method that throws, the model is as it was.
/// Anything else, such as std::bad_alloc, may have left a change half done: then the model is given
/// up, and every later call but those that only report sizes and options throws UnusableModel.
/// Trainings that fail are no errors: θ stays (TrainResult::failed).
class SplittingGp {
 public:
  /// REQUIRES: inputs ≥ 1, outputs ≥ 1.
  SplittingGp(Eigen::Index inputs, Eigen::Index outputs, Options options = {});
  SplittingGp(const SplittingGp& other);
  SplittingGp(SplittingGp&& other) noexcept;
  SplittingGp& operator=(SplittingGp other) noexcept;
  ~SplittingGp();

  /// Learns one observation, O(m²) while θ is unchanged. `noise_variance` is the observation's own
  /// known noise, added to θ's; `time` is needed if there is an Options::max_age.
  UpdateResult update(const Eigen::Ref<const Eigen::VectorXd>& x,
                      const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance = 0.0,
                      double time = kNoTime) {
    UpdateResult result;
    update(MatrixView(x), MatrixView(y), result, noise_variance, time);
    return result;
  }
  /// The same into `result`, whose memory is reused: with bounded latency, no call after the first
  /// allocates.
  void update(const Eigen::Ref<const Eigen::VectorXd>& x,
              const Eigen::Ref<const Eigen::VectorXd>& y, UpdateResult& result,
              double noise_variance = 0.0, double time = kNoTime) {
    update(MatrixView(x), MatrixView(y), result, noise_variance, time);
  }

  /// Learns the columns of X and Y in order: the same model, bit for bit, as one update per column.
  /// `noise_variance` and `time` are empty or have one value per column. A bad value anywhere
  /// rejects the whole batch.
  std::vector<UpdateResult> update_batch(
      const Eigen::Ref<const ColumnMatrix>& X, const Eigen::Ref<const ColumnMatrix>& Y,
      const Eigen::Ref<const Eigen::VectorXd>& noise_variance = Eigen::VectorXd(),
      const Eigen::Ref<const Eigen::VectorXd>& time = Eigen::VectorXd()) {
    return update_batch(MatrixView(X), MatrixView(Y), MatrixView(noise_variance), MatrixView(time));
  }

  /// Predicts at the columns of X, O(q·m²) each. Without observations, and far from all of them,
  /// the answer is the prior. Each column is answered as if it were the next row of the stream, or
  /// the row that `ahead` says.
  Prediction predict(const Eigen::Ref<const ColumnMatrix>& X, const Ahead& ahead = {}) const {
    Prediction result;
    predict(MatrixView(X), ahead, result);
    return result;
  }
  /// The same into `result`, whose memory is reused: a loop on one thread allocates nothing.
  void predict(const Eigen::Ref<const ColumnMatrix>& X, Prediction& result,
               const Ahead& ahead = {}) const {
    predict(MatrixView(X), ahead, result);
  }

  /// predict(), with the same bits, and the exact derivatives of its means and variances by the
  /// inputs, in at most 2.5 times its time with one output. Where the prediction has a kink they
  /// are those of one side: at the border where another local GP is asked, and, with matern12, at
  /// every observation, where 0 stands for the slope of that one's kernel. They are finite: one
  /// that is too large for a double is the largest.
  PredictionGradient predict_gradient(const Eigen::Ref<const ColumnMatrix>& X,
                                      const Ahead& ahead = {}) const {
    PredictionGradient result;
    predict_gradient(MatrixView(X), ahead, result);
    return result;
  }
  /// The same into `result`, whose memory is reused: a loop on one thread allocates nothing, but
  /// for what each local GP keeps from the first time on.
  void predict_gradient(const Eigen::Ref<const ColumnMatrix>& X, PredictionGradient& result,
                        const Ahead& ahead = {}) const {
    predict_gradient(MatrixView(X), ahead, result);
  }

  /// predict(x) into `before`, then update(x, y): the same bits as two calls, with one search of
  /// the centers instead of two.
  UpdateResult predict_then_update(const Eigen::Ref<const Eigen::VectorXd>& x,
                                   const Eigen::Ref<const Eigen::VectorXd>& y, Prediction& before,
                                   double noise_variance = 0.0, double time = kNoTime) {
    UpdateResult result;
    predict_then_update(MatrixView(x), MatrixView(y), before, result, noise_variance, time);
    return result;
  }
  /// The same into `result`, as update() does.
  void predict_then_update(const Eigen::Ref<const Eigen::VectorXd>& x,
                           const Eigen::Ref<const Eigen::VectorXd>& y, Prediction& before,
                           UpdateResult& result, double noise_variance = 0.0,
                           double time = kNoTime) {
    predict_then_update(MatrixView(x), MatrixView(y), before, result, noise_variance, time);
  }

  /// For control loops: takes, and touches, all memory that the model will ever need for the
  /// observations it may hold (max_observations, window_size), and from then on no update or
  /// prediction on this thread allocates, frees or waits for a training, and each update does a
  /// bounded amount of work: refits, merges, what a training copies and what is forgotten by many
  /// local GPs are spread over several. docs/control.md says how much, and how much memory it
  /// takes. Call it on the thread that runs the loop, after the model is loaded; from another
  /// thread that predicts, once more. Throws InvalidArgument, and changes nothing, if the options
  /// leave memory or work without bound. A copy, and a model that is
  /// loaded, has to be asked again.
  void bound_latency();
  bool latency_is_bounded() const;
  /// UpdateResult::operations is then never above this; 0 if it is not bounded.
  std::uint64_t most_operations() const;

  /// Forgets observations, given by their sequence numbers: afterwards every local GP answers as if
  /// it had never held them. O(capacity²) for each local GP that held one, whatever the size of the
  /// model; the first call also finds out who holds what, O(points held). A local GP that is left
  /// with less than a quarter of split_limit is merged into its neighbors, as far as these have
  /// room. θ, calibration and the means and spreads of the columns stay; they are back at the start
  /// only when nothing is left. Throws InvalidArgument, and forgets nothing, if a number is
  /// unknown, already forgotten or given twice.
  ForgetResult forget(std::span<const std::uint64_t> sequences);
  /// Forgets all observations with smaller numbers.  REQUIRES: sequence ≤ n_seen().
  ForgetResult forget_before(std::uint64_t sequence);

  /// A loaded model builds each local GP's factor, O(m³), when that is first updated or asked. This
  /// warms it up by building those needed at the columns of X. It changes no prediction.
  void wake(const Eigen::Ref<const ColumnMatrix>& X) { wake(MatrixView(X)); }
  /// The same for all local GPs.
  void wake();

  /// Predicts at x and shows the answer and the weight of each local GP that was asked.
  Explanation explain(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    return explain(MatrixView(x));
  }

  /// Algorithm 2's Train, now: maximises the local GPs' log marginal likelihood over θ. Bounded by
  /// Options::training_observations. Does nothing (adopted = false) with fewer than two
  /// observations.
  TrainResult train();

  /// Every training so far with the θ it ended with: the history of θ.
  const std::vector<TrainResult>& training_history() const;

  /// Waits for a running background training and adopts its θ; returns at once if there is none.
  void finish_training();

  /// Adopts θ. Nothing is refitted here. Every update brings θ to one local GP, the owner of its
  /// row before others, and refit() brings it to the rest.
  void set_hyperparameters(Hyperparameters theta);
  const Hyperparameters& hyperparameters() const;
  /// Counts the changes of θ. Each local GP remembers the version its factor was built with.
  std::uint64_t theta_version() const;

  /// Refits at most `most` local GPs, O(m³) each, to the current θ; returns how many are still
  /// behind.
  Eigen::Index refit(Eigen::Index most);

  /// The one option that may change later, because no result depends on it.  REQUIRES: threads ≥ 1.
  void set_threads(int threads);

  /// Trades time for memory: only the `limit` most recently used local GPs keep their factors,
  /// which are most of a model's memory when m is large; 0 (the default) means all do. The others
  /// are dormant, as after loading: an update builds the factor it needs, O(m³), and so does a
  /// prediction, every time unless wake() was called for it. Answers change only by rounding.
  /// REQUIRES: limit ≥ 0.
  void set_factor_cache_limit(Eigen::Index limit);
  Eigen::Index factor_cache_limit() const;

  const Options& options() const;
  Eigen::Index n_inputs() const;
  Eigen::Index n_outputs() const;
  /// How many observations it holds, and how many it has learned, forgotten ones included: the next
  /// one's sequence number.
  std::uint64_t n_observations() const;
  std::uint64_t n_seen() const;
  Eigen::Index n_local() const;
  std::vector<LocalGpSummary> local_gps() const;
  const std::vector<SplitRecord>& split_history() const;

  /// How large innovations have been lately in the whole stream, for each output; local_gps() has
  /// the same for each local GP.
  std::vector<InnovationStatistics> innovation_statistics() const;
  /// Whom the answers to the next row follow beside f, for each output; empty without experts.
  std::vector<ExpertShares> expert_shares() const;
  /// The last alarms, at most 1,000, oldest first, …
  std::vector<Alarm> alarms() const;
  /// … and how many there have been.
  std::uint64_t n_alarms() const;
  /// Outliers that were not learned (Options::outliers).
  std::uint64_t n_rejected() const;

  /// Over all observations so far, forgotten ones included.
  ColumnStatistics input_statistics() const;
  ColumnStatistics output_statistics() const;

  /// A copy of all observations. O(n·(d + p))
  Observations observations() const;
  /// A copy of what one local GP conditions on.  REQUIRES: 0 ≤ local_gp < n_local().
  LocalGpPoints points(Eigen::Index local_gp) const;

  /// All memory the model holds, spare capacity included.
  std::size_t memory_bytes() const;

  /// Earlier names, for one version.
  [[deprecated("bound_latency")]] void reserve() { bound_latency(); }
  [[deprecated("latency_is_bounded")]] bool is_reserved() const { return latency_is_bounded(); }
  [[deprecated("set_factor_cache_limit")]] void set_awake_limit(Eigen::Index limit) {
    set_factor_cache_limit(limit);
  }
  [[deprecated("factor_cache_limit")]] Eigen::Index awake_limit() const {
    return factor_cache_limit();
  }

 private:
  friend struct Internals;  // for the rest of this project
  struct State;
  explicit SplittingGp(std::unique_ptr<State> state);

  void update(MatrixView x, MatrixView y, UpdateResult& result, double noise_variance, double time);
  std::vector<UpdateResult> update_batch(MatrixView X, MatrixView Y, MatrixView noise_variance,
                                         MatrixView time);
  void predict(MatrixView X, const Ahead& ahead, Prediction& result) const;
  void predict_gradient(MatrixView X, const Ahead& ahead, PredictionGradient& result) const;
  void predict_then_update(MatrixView x, MatrixView y, Prediction& before, UpdateResult& result,
                           double noise_variance, double time);
  void wake(MatrixView X);
  Explanation explain(MatrixView x) const;

  std::unique_ptr<State> state_;
};

}  // namespace splitgp
