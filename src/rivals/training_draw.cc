#include "rivals/training_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace splitgp::rivals {

using Eigen::Index;

namespace {

// The largest of n_parts equal blocks that together cost no more than one block may.
Index largest_block(Index n_parts) {
  return static_cast<Index>(std::cbrt(kLargestTrainingCost / static_cast<double>(n_parts)));
}

// The seed that the core uses for its own draw.
std::uint64_t seed_of(const RivalState& model) {
  return model.options.seed + model.knowledge.observations;
}

// The first `count` of 0 … n−1 in random order. Fisher–Yates with a modulo: std::shuffle's result
// differs between standard libraries.
std::vector<Index> random_order(Index n, Index count, std::mt19937_64& random) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap(order[i], order[i + random() % (order.size() - i)]);
  }
  order.resize(static_cast<std::size_t>(count));
  return order;
}

// `most` of n rows in random order: the first rows of a block must be a fair sample too, because
// Train takes its first look at them.
std::vector<Index> draw_rows(Index n, Index most, std::mt19937_64& random) {
  return random_order(n, std::min(n, most), random);
}

TrainingSet::Block block_of(const ExactGp& part, const std::vector<Index>& rows) {
  const Index n = std::ssize(rows);
  TrainingSet::Block block{Eigen::MatrixXd(n, part.inputs().cols()),
                           Eigen::MatrixXd(n, part.outputs().cols()),
                           Eigen::VectorXd(n),
                           {}};
  for (Index to = 0; to < n; ++to) {
    const Index from = rows[static_cast<std::size_t>(to)];
    block.inputs.row(to) = part.inputs().row(from);
    block.outputs.row(to) = part.outputs().row(from);
    block.noise_variance(to) = part.noise_variance()(from);
    block.sequence.push_back(part.sequence(from));
  }
  return block;
}

// Blocks as regions, each of which owns all its observations.
class Blocks : public TrainingRegions {
 public:
  explicit Blocks(Index inputs) : centers_(inputs) {}

  void add(TrainingSet::Block block, const Eigen::VectorXd& center, const Kernel& kernel) {
    centers_.set(std::ssize(blocks_), center, kernel);
    blocks_.push_back(std::move(block));
  }

  const Centers& centers() const override { return centers_; }
  // The running mean, as in the core's local GPs.
  Eigen::VectorXd center(Index i) const override {
    const Eigen::MatrixXd& inputs = at(i).inputs;
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(inputs.cols());
    for (Index j = 0; j < inputs.rows(); ++j) {
      mean += (inputs.row(j).transpose() - mean) / static_cast<double>(j + 1);
    }
    return mean;
  }
  Index size(Index i) const override { return at(i).inputs.rows(); }
  Index owned(Index i) const override { return size(i); }
  void append(Index i, bool, TrainingSet::Block& block) const override {
    const Index first = block.inputs.rows();
    const Index n = size(i);
    block.inputs.conservativeResize(first + n, at(i).inputs.cols());
    block.outputs.conservativeResize(first + n, at(i).outputs.cols());
    block.noise_variance.conservativeResize(first + n);
    block.inputs.bottomRows(n) = at(i).inputs;
    block.outputs.bottomRows(n) = at(i).outputs;
    block.noise_variance.tail(n) = at(i).noise_variance;
    block.sequence.insert(block.sequence.end(), at(i).sequence.begin(), at(i).sequence.end());
  }

 private:
  const TrainingSet::Block& at(Index i) const { return blocks_[static_cast<std::size_t>(i)]; }

  Centers centers_;
  std::vector<TrainingSet::Block> blocks_;
};

}  // namespace

TrainingSet draw_from_regions(const RivalState& model, const std::vector<const ExactGp*>& parts) {
  std::mt19937_64 random(seed_of(model));
  const Index most = std::min<Index>(kLargestBlock, model.options.training_observations);
  Blocks regions(model.inputs());
  for (const ExactGp* part : parts) {
    regions.add(block_of(*part, draw_rows(part->size(), most, random)), part->center(),
                model.knowledge.theta->kernel);
  }
  return draw_training_set(model.knowledge, regions, model.options.training_observations,
                           seed_of(model));
}

TrainingSet draw_from_shares(const RivalState& model, const std::vector<const ExactGp*>& parts) {
  const Index most_observations = model.options.training_observations;
  TrainingSet set = scale_of(model.knowledge);
  if (parts.empty()) return set;
  std::mt19937_64 random(seed_of(model));
  const Index n_parts = std::ssize(parts);
  const Index share = std::min(largest_block(n_parts), most_observations / n_parts);
  const Index most = std::min(most_observations, std::max(kNeighbourhood, share));
  double cost = 0.0;
  for (const Index i : random_order(n_parts, n_parts, random)) {
    const ExactGp& part = *parts[static_cast<std::size_t>(i)];
    TrainingSet::Block block = block_of(part, draw_rows(part.size(), most, random));
    const Index n = block.inputs.rows();
    cost += std::pow(static_cast<double>(n), 3);
    if (!set.blocks.empty() &&
        (set.observations + n > most_observations || cost > kLargestTrainingCost)) {
      break;
    }
    set.blocks.push_back(std::move(block));
    set.observations += n;
  }
  return set;
}

}  // namespace splitgp::rivals
