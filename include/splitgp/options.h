#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "splitgp/hyperparameters.h"

namespace splitgp {

/// How the local predictions are weighted; see docs/paper_map.md, equation 3.
enum class Aggregation {
  evidence,    ///< Squared signal-to-noise ratio of the local posterior against the prior.
  similarity,  ///< k(center, x): the paper's rule.
  nearest,     ///< The most similar local GP alone. Discontinuous; for comparison.
};

/// How Split finds the direction in which a local GP is cut.
enum class PrincipalDirection {
  exact,  ///< Eigenvector of the owned inputs' covariance, computed at the split.
  oja,    ///< Oja's rule, followed as observations arrive; no decomposition at all.
};

/// The space in which Split measures spread.
enum class SplitSpace {
  scaled,  ///< Inputs divided by their length scales: the space in which similarity is measured.
  raw,     ///< Inputs as they are, as in the paper.
};

/// When Train runs.
enum class Training {
  off,         ///< θ stays as given; train() still works.
  inlined,     ///< Inside update, whenever the stream has grown by half. Deterministic.
  background,  ///< At the same moments, on a copy, in a thread of its own; update never waits for
               ///< it.
};

/// How predicted variances and intervals follow the errors that are made (docs/lab_notes.md, error
/// bars).
enum class Calibration {
  adaptive,   ///< Each local GP's own scale, a factor and a Student-t learned from innovations.
  conformal,  ///< The same density, but intervals that keep their promise on any stream: of T rows,
              ///< each predicted just before it was learned, the share outside a level's interval
              ///< differs from 1 − level by at most 33·|log w|/T, w being how much conformal widens
              ///< (or narrows) the adaptive interval in the end, and at most e^±20. At 0.5, 0.8,
              ///< 0.9, 0.95 and 0.99; others are interpolated. An update costs a prediction more,
              ///< unless predict_then_update made it anyway.
  none,  ///< θ's own variances and a normal distribution.
};

/// Whether Train looks for a prior mean that is linear in the inputs.
enum class Trend {
  automatic,  ///< Adopted if it predicts later observations better from earlier ones.
  none,       ///< The trend stays as it is: 0, unless the given θ has one.
  linear,     ///< Always.
};

/// What an alarm does.
enum class OnDrift {
  report,  ///< It is told, and the model goes on.
  forget,  ///< The local GPs that have changed forget what is older than the change.
};

/// What happens to a single absurd reading, more than eight standard deviations from what was
/// expected.
enum class Outliers {
  learn,   ///< It is learned like any other.
  reject,  ///< It is not; but when several follow each other in the same cell, the world has
           ///< changed.
};

/// Which observation gives way when a model holds as many as it may.
enum class Forget {
  oldest,     ///< The one that was learned first.
  redundant,  ///< One that the others explain: the smallest leave-one-out variance of a few.
};

/// The parts of θ that Train must leave alone.
struct FixedHyperparameters {
  bool length_scale = false;
  bool signal_variance = false;
  bool noise_variance = false;
  bool shape = false;
  bool mean = false;  ///< The whole prior mean, and so the trend too.
  bool output_scale = false;
};

/// For an option that follows from the others.
inline constexpr int kAutomatic = std::numeric_limits<int>::min();

/// What nobody should have to choose: how the method differs from the paper's pseudo-code, for
/// comparison with it.
struct Comparison {
  /// evidence: the only one that is continuous and also ahead on every data set measured.
  Aggregation aggregation = Aggregation::evidence;

  /// Fades a local GP out before it leaves the q most similar ones, so that predictions stay
  /// continuous. Off is the paper's discontinuous C_0 rule.
  bool taper = true;

  /// A child borrows its sibling's observations until nearer ones displace them, so a split changes
  /// no prediction (the paper's eq. 2 and Proposition 1) and costs a copy instead of a
  /// factorisation. Off: nothing is borrowed from anyone, and capacity = split_limit.
  bool inherit = true;

  /// exact: O(m·d² + d³) every m/2 updates is a small part of their cost; oja pays off for large d.
  PrincipalDirection principal_direction = PrincipalDirection::exact;

  /// scaled: neither a column in large units nor an irrelevant one must dictate every cut.
  SplitSpace split_space = SplitSpace::scaled;
};

/// Everything that is chosen once, when a model is created. A model's own options() have a value
/// for everything that is automatic here.
struct Options {
  // What it costs.

  /// The one number to choose: the most observations a local GP conditions on, and so what an
  /// update or a prediction costs, O(capacity²) for each local GP that is asked. Accuracy grows
  /// with it. Automatic: 250, but at least split_limit and at most four times that. With capacity =
  /// split_limit a local GP borrows only what a split leaves it.
  int capacity = kAutomatic;

  /// m: a local GP that owns more observations is split. Automatic: a quarter of the capacity.
  /// Small cells that see far are ahead of large ones that see only themselves (kin40k, capacity
  /// 250: RMSE 0.159 with a quarter, 0.169 with two fifths, 0.180 with all), but each costs a
  /// factor.
  int split_limit = kAutomatic;

  /// q: how many of the most similar local GPs are asked; 0 means all. An observation is also
  /// offered to the q most similar local GPs beside its owner, at most eight. Automatic: 3, or 8 if
  /// capacity = split_limit; more of them hardly add anything.
  int neighbors = kAutomatic;

  /// Threads that share a batch of predictions. Results are the same to the last bit.
  int threads = 1;

  // Training.

  /// automatic: no family fits all data (on powergen Matérn 1/2 has two thirds of RBF's error, on
  /// kin40k RBF is ahead), and the likelihood shows which one does.
  KernelFamily kernel = KernelFamily::automatic;

  /// inlined: the same stream gives the same model, and geometric growth keeps the number of
  /// trainings logarithmic in its length.
  Training training = Training::inlined;

  /// The most observations, in neighbourhoods drawn at random, that Train looks at, so that its
  /// cost does not grow with the stream.
  int training_observations = 3000;

  /// Train at once when the innovations say that θ no longer describes the stream: a machine that
  /// starts after a long silence must not wait until the stream has grown by half.
  bool surprise = true;

  /// automatic: a trend halves the error of some streams (hourly load, which follows the last
  /// hours) and ruins others, and the likelihood cannot tell them apart.
  Trend trend = Trend::automatic;

  FixedHyperparameters fixed;

  /// One number for each input: inputs with the same number share a length scale, which is then one
  /// parameter of Train's, as the columns of a category's code should. Empty: each has its own,
  /// so that Train can tell which inputs matter.
  std::vector<int> length_scale_groups;

  /// The seed of every random choice the model makes.
  std::uint64_t seed = 0;

  // Error bars.

  /// adaptive: θ is one for the whole stream, errors are not. Over 20,000 rows of six real streams
  /// 50 % intervals then hold 49–53 % instead of 62–69 %, and 95 % intervals 90 % or more of the
  /// worst 500 rows instead of 64 % or more.
  Calibration calibration = Calibration::adaptive;

  /// Mix f with experts beside it, as far as the rows so far have shown them to be right: a share
  /// of f's last error, the mean and the last value of the stream, and a linear model of it. Where
  /// f is the best hardly anything changes. Needs calibration.
  bool experts = true;

  // Change.

  /// report: an alarm is no proof, and what is forgotten is gone.
  OnDrift on_drift = OnDrift::report;

  /// A stream that does not change raises a false alarm every so many rows, or less often. From it
  /// follows how much evidence an alarm needs: its logarithm (docs/lab_notes.md, alarms).
  int rows_per_false_alarm = 1'000'000;

  /// learn: what is absurd for the model may be the first sign of something new.
  Outliers outliers = Outliers::learn;

  // Forgetting.

  /// Keeps the last so many observations of the stream and forgets older ones; 0 keeps all. For a
  /// process that changes, and for a stream that never ends: memory, time and file stay as they
  /// are.
  int window_size = 0;

  /// A hard limit to what is held, for a machine with fixed memory; 0: none. `forget` says what
  /// gives way.
  int max_observations = 0;

  /// oldest: it forgets what a changed process no longer is. redundant keeps more of a process that
  /// does not change (docs/lab_notes.md has both measured).
  Forget forget = Forget::oldest;

  /// Forgets observations that are older than this, in the unit of the times given to update, which
  /// must then be given and not decrease; 0: however old. A row forgets two others at most, so
  /// after a long gap old ones leave one by one; forget_before() does it at once.
  double max_age = 0.0;

  /// The θ to start from, which Train then tries first. Without one, θ follows the scale of the
  /// data until the first training. `kernel` above, unless automatic, overrides its kernel.
  std::optional<Hyperparameters> hyperparameters;

  // For comparison with the paper.

  Comparison comparison;

  /// The paper's pseudo-code: rbf, similarity over all local GPs, no inheritance, raw directions,
  /// variances without calibration.
  static Options paper();
};

/// The names used in flags, files and Python: "evidence", "matern32", "auto", …
std::string_view to_string(KernelFamily value);
std::string_view to_string(Aggregation value);
std::string_view to_string(PrincipalDirection value);
std::string_view to_string(SplitSpace value);
std::string_view to_string(Training value);
std::string_view to_string(Calibration value);
std::string_view to_string(Trend value);
std::string_view to_string(OnDrift value);
std::string_view to_string(Outliers value);
std::string_view to_string(Forget value);

/// The inverse; throws InvalidArgument naming `field`, the text and the valid names.
template <typename Enum>
Enum parse(std::string_view field, std::string_view text);

}  // namespace splitgp
