#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "splitgp/hyperparameters.h"
#include "splitgp/storage.h"

namespace splitgp {

/// A local GP that took an observation which another one owns.
struct Borrowing {
  Eigen::Index local_gp = 0;
  std::optional<std::uint64_t> displaced;  ///< The borrowed point it dropped to make room.
};

/// The local GPs that borrowed one observation, most similar first. Its size is fixed, so that an
/// update allocates nothing.
class Borrowings {
 public:
  static constexpr std::size_t kMost = 8;

  void add(Borrowing borrowing) { all_[size_++] = borrowing; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Local GP `removed` is gone, and `last` has its number.
  void follow_removal(Eigen::Index removed, Eigen::Index last) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (all_[i].local_gp == removed) continue;
      all_[kept] = all_[i];
      if (all_[kept].local_gp == last) all_[kept].local_gp = removed;
      ++kept;
    }
    size_ = kept;
  }
  const Borrowing* begin() const { return all_.data(); }
  const Borrowing* end() const { return all_.data() + size_; }

 private:
  std::array<Borrowing, kMost> all_;
  std::size_t size_ = 0;
};

/// How far one output of an observation was from what its owner, the local GP it was routed to,
/// expected just before learning it.
struct Innovation {
  double mean = 0.0;      ///< The owner's one-step-ahead prediction …
  double variance = 0.0;  ///< … of this observation: the function's and the noise's variance, in
                          ///< the owner's scale and calibrated by the innovations before it.
  double z = 0.0;  ///< (observed − mean) / √variance: mean 0 and variance 1 if all is right.
};

/// The innovation of each output. Up to kInside outputs allocate nothing.
class Innovations {
 public:
  static constexpr std::size_t kInside = 8;

  void resize(std::size_t outputs) {
    size_ = outputs;
    if (outputs > kInside) outside_.resize(outputs);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Innovation* begin() { return size_ > kInside ? outside_.data() : inside_.data(); }
  Innovation* end() { return begin() + size_; }
  const Innovation* begin() const { return size_ > kInside ? outside_.data() : inside_.data(); }
  const Innovation* end() const { return begin() + size_; }
  Innovation& operator[](std::size_t output) { return begin()[output]; }
  const Innovation& operator[](std::size_t output) const { return begin()[output]; }

 private:
  std::size_t size_ = 0;
  std::array<Innovation, kInside> inside_;
  std::vector<Innovation> outside_;
};

/// What a detector of drift has found.
enum class DriftKind {
  up,     ///< Outputs are higher than expected, …
  down,   ///< … lower, …
  wider,  ///< … or farther away on both sides.
};

/// "up", "down" or "wider".
std::string_view to_string(DriftKind value);

/// The stream has changed: in the cells of some neighbouring local GPs, or everywhere.
struct Alarm {
  std::uint64_t sequence = 0;      ///< The observation that raised it.
  std::uint64_t change_point = 0;  ///< The first observation that is thought to be new.
  Eigen::Index output = 0;
  DriftKind kind = DriftKind::up;
  bool whole_stream = false;   ///< Found among all rows, not in one part of the partition.
  Eigen::Index local_gp = 0;   ///< The one that owns the observation.
  Eigen::Index local_gps = 1;  ///< How many have changed, with it.
  Vector lower, upper;         ///< The box that holds their own inputs.
  std::uint64_t rows = 0;      ///< Rows that speak for it, since the change point.
  /// By how much: the mean innovation of those rows, in the output's units and in standard
  /// deviations of the noise. Of a wider output, its root mean square. The model learns the change
  /// meanwhile, so it is rather too small.
  double size = 0.0;
  double size_in_noise = 0.0;
  std::uint64_t forgotten = 0;  ///< Observations forgotten because of it (Options::on_drift).
};

/// How large innovations have been lately, as a Kalman filter's normalised innovation squared: an
/// exponentially weighted mean of z², where z is first mapped to what it would be for normal
/// errors. 1 if all is right.
struct InnovationStatistics {
  double mean_square = 1.0;
  double lower = 0.0;  ///< Where it lies 95 % of the time if all is right: a χ² band …
  double upper = 0.0;  ///< … for as many rows as it remembers.
  std::uint64_t rows = 0;
};

/// How far the answers to one output's next row follow the experts beside f (Options::experts): 0
/// is not at all. A share of the way to an expert counts in full only where f is unsure.
struct ExpertShares {
  double last_error = 0.0;  ///< Of f's last error, between -1 and 1; the others between 0 and 1.
  double mean = 0.0;
  double last_value = 0.0;
  double linear = 0.0;
};

/// The observations that one update forgot, oldest first, because the model may hold no more or
/// none so old. Its size is fixed, so that an update allocates nothing.
class Forgotten {
 public:
  static constexpr std::size_t kMost = 2;

  void add(std::uint64_t sequence) { all_[size_++] = sequence; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::uint64_t* begin() const { return all_.data(); }
  const std::uint64_t* end() const { return all_.data() + size_; }

 private:
  std::array<std::uint64_t, kMost> all_{};
  std::size_t size_ = 0;
};

/// A local GP that owned so little that its neighbors took over the rest.
struct Merge {
  Eigen::Index local_gp = 0;  ///< The number it had, and which another has now, …
  Eigen::Index renamed = 0;   ///< … the local GP that had this number; itself if it was the last.
  Eigen::Index given = 0;     ///< How many observations its neighbors took over.
};

/// What forgetting did to the model.
struct ForgetResult {
  std::uint64_t forgotten = 0;  ///< Observations.
  std::vector<Merge> merged;    ///< In this order.
};

/// Where one observation went, and what else its update did: for the model file, for tests and for
/// whoever wants to know how the method works. Local GPs have the numbers that they have after it.
struct UpdateRecord {
  Eigen::Index routed_to = 0;                ///< The local GP with the most similar center.
  Eigen::Index local_gp = 0;                 ///< The one that owns it now; a split may change it.
  std::optional<Eigen::Index> new_local_gp;  ///< The second child, if there was a split.
  std::vector<std::uint64_t> leaving;        ///< The observations that went to the second child.
  std::optional<std::uint64_t> displaced;    ///< The borrowed point dropped to make room for it.
  Borrowings borrowed;                       ///< The other local GPs that learned it too.
  std::optional<Eigen::Index> renewed;       ///< The local GP that got the current θ, if one did.
  Forgotten forgotten;                       ///< What the row left no room for.
  double jitter = 0.0;  ///< Variance added to keep the factor positive; usually 0.
  /// How much it took, by count: multiply-adds of factors and kernels, and numbers that were
  /// copied. What Train does is not in it.
  std::uint64_t operations = 0;
};

/// What one observation did to the model.
struct UpdateResult {
  std::uint64_t sequence = 0;  ///< The observation's number, counted from 0.
  Innovations innovation;      ///< How surprising it was, for each output.
  bool outlier = false;        ///< Some |z| is above 8.
  bool rejected = false;      ///< An outlier that was not learned; its number goes to the next one.
  bool split = false;         ///< A local GP owned too much and was split.
  bool trained = false;       ///< A training ended here; see training_history().
  std::vector<Alarm> alarms;  ///< Usually none.
  UpdateRecord record;
};

/// The ends of central intervals. Columns are queries, rows are outputs.
struct Interval {
  Matrix lower;
  Matrix upper;
};

/// Columns are queries, rows are outputs. A new observation is expected to follow Student's t
/// distribution with this mean, the variance `variance + noise_variance` and these degrees of
/// freedom.
struct Prediction {
  Matrix mean;
  Matrix variance;            ///< That of the latent function.
  Matrix noise_variance;      ///< What one more observation adds to it.
  Matrix degrees_of_freedom;  ///< Above 2; infinite, or the matrix empty: a normal distribution.
  /// With Calibration::conformal, half the interval of each level it follows, in standard
  /// deviations; the levels of one output are rows that follow each other. Otherwise empty.
  Matrix conformal_half_widths;

  /// Where a new observation falls with probability `level`; throws InvalidArgument unless
  /// 0 < level < 1.
  Interval interval(double level) const {
    Interval result;
    interval(level, result);
    return result;
  }
  /// The same, reusing the result's memory.
  void interval(double level, Interval& result) const;
  /// Half of that interval over the standard deviation, √(variance + noise_variance).
  double half_width(Eigen::Index output, Eigen::Index query, double level) const;
  /// The log density of a new observation of one output. Summed with its sign changed, NLPD.
  double log_density(Eigen::Index output, Eigen::Index query, double observed) const;
  /// The level of the smallest interval that holds the observation: uniform between 0 and 1 if the
  /// prediction is right.
  double level_of(Eigen::Index output, Eigen::Index query, double observed) const;
};

/// A prediction and its derivatives by the inputs. Columns are queries; in each, the d derivatives
/// of the first output are followed by those of the next: row o·d + k is ∂(output o)/∂(input k).
struct PredictionGradient : Prediction {
  Matrix mean_gradient;
  Matrix variance_gradient;        ///< That of `variance`, without the noise's.
  Matrix noise_variance_gradient;  ///< That of `noise_variance`; 0 without calibration.
};

/// One local GP's share in a prediction.
struct LocalPrediction {
  Eigen::Index local_gp = 0;
  double log_similarity = 0.0;  ///< log k(center, x) − log k(x, x)
  double weight = 0.0;
  Vector mean;
  Vector variance;
};

/// A prediction taken apart: Σ weight·mean is the mean, (Σ weight·σ)² the variance.
struct Explanation {
  Vector mean;
  Vector variance;
  Vector noise_variance;
  Vector degrees_of_freedom;
  std::vector<LocalPrediction> local;  ///< Most similar first.
};

/// How a training went, for the model file, for tests and for whoever wants to know how Train
/// works.
struct TrainRecord {
  std::uint64_t regime = 0;    ///< It looked at the observations from this one on.
  bool searched = false;       ///< From many starts and, if the kernel is automatic, all families.
  double kernel_margin = 0.0;  ///< By how much the best family's objective led the second's.
  /// Mean log densities, in spreads of the outputs, of the later third of the observations trained
  /// on, each given the earlier ones near it: without and with a trend found in the first two
  /// thirds. Both 0 if it was not asked: there was no choice (Options::trend), a first look saw no
  /// trend worth it, or there is one and no search was due.
  double forward_without_trend = 0.0;
  double forward_with_trend = 0.0;
  bool trend_won = false;      ///< The one with a trend is ahead by more than chance would have it.
  Eigen::Index local_gps = 0;  ///< Local GPs that the observations come from.
  int starts = 0;
  int evaluations = 0;
  /// Of TrainResult::seconds, those of the search among families and starts; 0 without one. Model
  /// files do not keep it.
  double search_seconds = 0.0;
};

/// What one training did. Objectives are log marginal likelihood plus log prior, per observation,
/// of the observations trained on.
struct TrainResult {
  bool adopted = false;    ///< false: the new θ was not better, so the old one stays.
  bool failed = false;     ///< There was no memory or no thread for it. Model files do not keep it.
  bool surprised = false;  ///< Not scheduled: the innovations said that θ no longer held.
  Hyperparameters theta;   ///< The model's θ afterwards, …
  std::uint64_t theta_version = 0;  ///< … and which one it is; see SplittingGp::theta_version().
  double objective_before = 0.0;
  double objective_after = 0.0;             ///< Of the best θ found, adopted or not.
  std::vector<std::string> bounds_reached;  ///< "length_scale[3] at its upper bound", …
  std::uint64_t sequence = 0;               ///< Observations in the model when it was trained.
  Eigen::Index observations = 0;            ///< Observations trained on (some twice, if borrowed).
  double seconds = 0.0;
  TrainRecord record;
};

struct LocalGpSummary {
  Eigen::Index local_gp = 0;
  Vector center;
  Eigen::Index owned = 0;
  Eigen::Index borrowed = 0;
  std::uint64_t theta_version = 0;
  bool awake = true;          ///< It has its factor; otherwise the next two are unknown.
  Eigen::Index jittered = 0;  ///< Points whose pivot needed jitter.
  double condition = 1.0;     ///< (largest pivot / smallest pivot)²: a lower bound of cond(K).
  std::size_t memory_bytes = 0;
  std::vector<InnovationStatistics> innovation;  ///< Of each output.
};

/// Observations, one per column, in the order of their sequence numbers.
struct Observations {
  Matrix inputs;
  Matrix outputs;
  Vector noise_variance;  ///< Each observation's own.
  std::vector<std::uint64_t> sequence;
};

/// What a local GP conditions on.
struct LocalGpPoints : Observations {
  std::vector<bool> owned;  ///< Whether it owns each point or has borrowed it.
};

/// Mean and standard deviation of each column of a stream; a constant column has deviation 0.
struct ColumnStatistics {
  Vector mean;
  Vector spread;
};

struct SplitRecord {
  std::uint64_t sequence = 0;  ///< The observation that caused it.
  Eigen::Index parent = 0;     ///< Keeps its number as the first child.
  Eigen::Index child = 0;      ///< The second child's number.
  Eigen::Index parent_owned = 0;
  Eigen::Index child_owned = 0;
};

}  // namespace splitgp
