#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace splitgp {

struct ModelState;

/// A copy of what Train looks at, so that it can run while the model moves on.
struct TrainingSet {
  struct Block {
    Eigen::MatrixXd inputs;   // n × d
    Eigen::MatrixXd outputs;  // n × p
    Eigen::VectorXd noise_variance;
  };
  std::vector<Block> blocks;
  Eigen::Index observations = 0;
  std::uint64_t sequence = 0;  // observations in the model when it was drawn

  // The scale of the whole stream, against which priors and bounds of θ are set. Never 0.
  Eigen::VectorXd input_spread;
  Eigen::VectorXd output_mean;
  Eigen::VectorXd output_spread;
  std::vector<bool> constant_input;
};

/// The bounds of one evaluation: Σ n³ over the blocks, to which its cost is proportional (about a
/// tenth of a second), and so the size of a block; and the observations that a block should have at
/// least.
inline constexpr double kLargestTrainingCost = 1e9;
inline constexpr Eigen::Index kLargestBlock = 1000;
inline constexpr Eigen::Index kNeighbourhood = 400;

/// Neighbourhoods drawn at random, until the next would exceed `most_observations` or the cost of
/// one evaluation its bound; at least one. The draw is fixed by `seed`. O(C·blocks +
/// most_observations·d)
///
/// A neighbourhood is a local GP (every so manieth of its points, where split_limit is beyond
/// kLargestBlock) or, where split_limit is small, several adjacent ones: a hundred
/// neighbouring points see too little of the function to tell a long length scale from a small
/// signal variance (kin40k, m = 100: RMSE 0.220 from single local GPs, 0.216 from neighbourhoods).
TrainingSet draw_training_set(const ModelState& model, Eigen::Index most_observations,
                              std::uint64_t seed);

/// A smaller set for a first look: the first blocks of `set`, or a part of the first, within the
/// limit.
TrainingSet thin(const TrainingSet& set, Eigen::Index most_observations);

}  // namespace splitgp
