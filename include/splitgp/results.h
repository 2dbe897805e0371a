#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "splitgp/hyperparameters.h"
#include "splitgp/storage.h"

namespace splitgp {

/// What one observation did to the model.
struct UpdateResult {
  std::uint64_t sequence = 0;                ///< The observation's number, counted from 0.
  Eigen::Index routed_to = 0;                ///< The local GP with the most similar center.
  Eigen::Index local_gp = 0;                 ///< The one that owns it now; a split may change it.
  std::optional<Eigen::Index> new_local_gp;  ///< Set if there was a split: the second child.
  std::vector<std::uint64_t> leaving;        ///< The observations that went to the second child.
  std::optional<std::uint64_t> displaced;    ///< The inherited point dropped to make room for it.
  int refits = 0;                            ///< Local GPs refitted to the current θ (0, 1 or 2).
  bool trained = false;                      ///< A training ended here; see training_history().
  double jitter = 0.0;  ///< Variance added to keep the factor positive; usually 0.
};

/// Columns are queries, rows are outputs.
struct Prediction {
  Matrix mean;
  Matrix variance;        ///< That of the latent function.
  Matrix noise_variance;  ///< What one more observation adds to it.
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
  std::vector<LocalPrediction> local;  ///< Most similar first.
};

/// What one training did. Objectives are log marginal likelihood plus log prior, per observation,
/// of the observations trained on.
struct TrainResult {
  bool adopted = false;             ///< false: the new θ was not better, so the old one stays.
  Hyperparameters theta;            ///< The model's θ afterwards, …
  std::uint64_t theta_version = 0;  ///< … and which one it is; see SplittingGp::theta_version().
  double objective_before = 0.0;
  double objective_after = 0.0;  ///< Of the best θ found, adopted or not.
  bool searched = false;       ///< From many starts and, if the kernel is automatic, all families.
  double kernel_margin = 0.0;  ///< By how much the best family's objective led the second's.
  /// Mean log densities, in spreads of the outputs, of the later third of the observations trained
  /// on, each given the earlier ones near it: without and with a trend found in the first two
  /// thirds. Both 0 if there was no choice (Options::trend).
  double forward_without_trend = 0.0;
  double forward_with_trend = 0.0;
  bool trend_won = false;  ///< The one with a trend is ahead by more than chance would have it.
  std::vector<std::string> bounds_reached;  ///< "length_scale[3] at its upper bound", …
  std::uint64_t sequence = 0;               ///< Observations in the model when it was trained.
  Eigen::Index observations = 0;            ///< Observations trained on (some twice, if inherited).
  Eigen::Index local_gps = 0;               ///< Local GPs they come from.
  int starts = 0;
  int evaluations = 0;
  double seconds = 0.0;
};

struct LocalGpSummary {
  Eigen::Index local_gp = 0;
  Vector center;
  Eigen::Index owned = 0;
  Eigen::Index inherited = 0;
  std::uint64_t theta_version = 0;
  bool awake = true;          ///< It has its factor; otherwise the next two are unknown.
  Eigen::Index jittered = 0;  ///< Points whose pivot needed jitter.
  double condition = 1.0;     ///< (largest pivot / smallest pivot)²: a lower bound of cond(K).
  std::size_t memory_bytes = 0;
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
  std::vector<bool> owned;  ///< Whether it owns each point or has inherited it.
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
