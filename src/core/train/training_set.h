#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "core/options/length_scale_groups.h"
#include "core/partition/centers.h"
#include "core/train/stream_knowledge.h"

namespace splitgp {

/// A copy of what Train looks at, so that it can run while the model moves on.
struct TrainingSet {
  struct Block {
    Eigen::MatrixXd inputs;   // n × d
    Eigen::MatrixXd outputs;  // n × p
    Eigen::VectorXd noise_variance;
    std::vector<std::uint64_t> sequence;
  };
  std::vector<Block> blocks;
  Eigen::Index observations = 0;  // without those that are given
  std::uint64_t sequence = 0;     // observations in the model when it was drawn
  std::uint64_t regime = 0;       // those before this one are given: θ need not describe them

  Eigen::Index rows() const;
  /// How many rows of a block are not given.
  Eigen::Index fresh(const Block& block) const;
  void add(Block block);

  // The scale of the whole stream, on which the priors and bounds of θ are set. Never 0.
  Eigen::VectorXd input_mean;
  Eigen::VectorXd input_spread;
  Eigen::VectorXd output_mean;
  Eigen::VectorXd output_spread;
  std::vector<bool> constant_input;
  LengthScaleGroups length_scale_groups;
};

/// The unit in which each input's length scale is learned: its spread or, in a group, that of the
/// whole group, √Σ spread². So a code of many columns weighs as much as one column that tells as
/// much, and the inputs of a group have the same unit.
Eigen::VectorXd length_scale_unit(const TrainingSet& set);

/// Bounds on one evaluation: Σ n³ over the blocks, to which its cost is proportional (about a tenth
/// of a second), and so the size of a block; and the fewest observations a block should have.
inline constexpr double kLargestTrainingCost = 1e9;
inline constexpr Eigen::Index kLargestBlock = 1000;
inline constexpr Eigen::Index kNeighbourhood = 400;

/// The scale of a stream, without observations.
TrainingSet scale_of(const StreamKnowledge& knowledge);

/// Where observations are drawn from: models of one region each, local GPs or a rival's.
class TrainingRegions {
 public:
  virtual ~TrainingRegions() = default;
  /// The middle of each region.
  virtual const Centers& centers() const = 0;
  virtual Eigen::VectorXd center(Eigen::Index region) const = 0;
  /// The observations that a region's model conditions on, and how many of them are its own.
  virtual Eigen::Index size(Eigen::Index region) const = 0;
  virtual Eigen::Index owned(Eigen::Index region) const = 0;
  virtual void append(Eigen::Index region, bool owned_only, TrainingSet::Block& block) const = 0;
};

/// Neighbourhoods drawn at random, until the next would exceed `most_observations` or the bound on
/// the cost of one evaluation; at least one. `seed` fixes the draw. O(C·blocks +
/// most_observations·d)
/// Observations before number `regime` are given, and come last in each block.
///
/// A neighbourhood is one region (evenly spaced points of it, if it has more than kLargestBlock)
/// or, where regions are small, several adjacent ones: a hundred neighbouring points see too little
/// of the function to tell a long length scale from a small signal variance (kin40k, m = 100: RMSE
/// 0.220 from single local GPs, 0.216 from neighbourhoods).
TrainingSet draw_training_set(const StreamKnowledge& knowledge, const TrainingRegions& regions,
                              Eigen::Index most_observations, std::uint64_t seed,
                              std::uint64_t regime = 0);

/// The observations of a set before number `sequence`.
TrainingSet before(const TrainingSet& set, std::uint64_t sequence);

/// A smaller set that is as dense as `set`, from more places: of each of the first blocks, the
/// observations around one of them.
TrainingSet neighbourhoods(const TrainingSet& set, Eigen::Index most_rows, Eigen::Index block_size);

/// A smaller set for a first look: the first blocks of `set`, or part of the first, within the
/// limit.
TrainingSet thin(const TrainingSet& set, Eigen::Index most_rows);

}  // namespace splitgp
