#include "core/train/training_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "core/base/shuffle.h"

namespace splitgp {

using Eigen::Index;

namespace {

std::vector<std::size_t> random_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  shuffle(order, random);
  return order;
}

TrainingSet::Block some_of(const TrainingSet::Block& block, const std::vector<Index>& rows) {
  TrainingSet::Block some{block.inputs(rows, Eigen::all),
                          block.outputs(rows, Eigen::all),
                          block.noise_variance(rows),
                          {}};
  for (const Index i : rows) some.sequence.push_back(block.sequence[static_cast<std::size_t>(i)]);
  return some;
}

TrainingSet::Block thin_evenly(const TrainingSet::Block& block, Index most) {
  std::vector<Index> rows;
  for (Index to = 0; to < most; ++to) rows.push_back(to * block.inputs.rows() / most);
  return some_of(block, rows);
}

// Region `first` with what its model borrows or, if that is little, the observations owned by
// it and the regions most similar to it.
TrainingSet::Block neighbourhood(const StreamKnowledge& knowledge, const TrainingRegions& regions,
                                 Index first, Index enough, std::vector<bool>& used) {
  TrainingSet::Block block;
  used[static_cast<std::size_t>(first)] = true;
  if (regions.size(first) >= enough || regions.centers().size() == 1) {
    regions.append(first, false, block);
    return block.inputs.rows() > kLargestBlock ? thin_evenly(block, kLargestBlock) : block;
  }
  std::vector<Neighbor> neighbors;
  regions.centers().most_similar(knowledge.theta->kernel, regions.center(first), 2 * enough,
                                 neighbors);
  regions.append(first, true, block);
  for (const Neighbor& neighbor : neighbors) {
    const auto i = static_cast<std::size_t>(neighbor.local_gp);
    if (used[i]) continue;
    if (block.inputs.rows() + regions.owned(neighbor.local_gp) > enough) break;
    used[i] = true;
    regions.append(neighbor.local_gp, true, block);
  }
  return block;
}

TrainingSet::Block given_last(const TrainingSet::Block& block, std::uint64_t regime) {
  std::vector<Index> rows(block.sequence.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  std::ranges::stable_partition(
      rows, [&](Index i) { return block.sequence[static_cast<std::size_t>(i)] >= regime; });
  return some_of(block, rows);
}

TrainingSet without_blocks(const TrainingSet& set) {
  TrainingSet result = set;
  result.blocks.clear();
  result.observations = 0;
  return result;
}

}  // namespace

Index TrainingSet::rows() const {
  Index rows = 0;
  for (const Block& block : blocks) rows += block.inputs.rows();
  return rows;
}

Index TrainingSet::fresh(const Block& block) const {
  return std::ranges::count_if(block.sequence, [&](std::uint64_t one) { return one >= regime; });
}

void TrainingSet::add(Block block) {
  observations += fresh(block);
  blocks.push_back(std::move(block));
}

TrainingSet scale_of(const StreamKnowledge& knowledge) {
  TrainingSet set;
  set.sequence = knowledge.observations;
  const StreamStatistics& inputs = knowledge.input_statistics;
  const StreamStatistics& outputs = knowledge.output_statistics;
  set.input_mean = inputs.mean();
  set.input_spread = inputs.spread();
  set.output_mean = outputs.mean();
  set.output_spread = outputs.spread();
  set.length_scale_groups = knowledge.length_scale_groups;
  set.constant_input.resize(static_cast<std::size_t>(set.input_spread.size()));
  for (Index k = 0; k < set.input_spread.size(); ++k) {
    // Rounding in the running mean leaves a constant column a spread of some ε of its value.
    const double noise_floor = 1e-12 * std::abs(inputs.mean()(k));
    const bool constant = !(set.input_spread(k) > noise_floor) || set.input_spread(k) < 1e-150;
    set.constant_input[static_cast<std::size_t>(k)] = constant;
    if (constant) set.input_spread(k) = 1.0;
  }
  for (Index o = 0; o < set.output_spread.size(); ++o) {
    // A constant output still needs a unit: its own size, or 1.
    const double size = std::abs(set.output_mean(o));
    if (!(set.output_spread(o) > 1e-12 * size) || set.output_spread(o) < 1e-140) {
      set.output_spread(o) = size > 1e-130 ? 1e-3 * size : 1.0;
    }
  }
  return set;
}

Eigen::VectorXd length_scale_unit(const TrainingSet& set) {
  Eigen::VectorXd unit = set.input_spread;
  for (Index group = 0; group < set.length_scale_groups.size(); ++group) {
    const std::vector<Index>& members = set.length_scale_groups.members(group);
    if (members.size() == 1) continue;
    double squares = 0.0;
    for (const Index k : members) {
      if (set.constant_input[static_cast<std::size_t>(k)]) continue;
      squares += set.input_spread(k) * set.input_spread(k);
    }
    // If all are constant, there is no length scale to learn.
    for (const Index k : members) unit(k) = squares > 0.0 ? std::sqrt(squares) : 1.0;
  }
  return unit;
}

TrainingSet draw_training_set(const StreamKnowledge& knowledge, const TrainingRegions& regions,
                              Index most_observations, std::uint64_t seed, std::uint64_t regime) {
  TrainingSet set = scale_of(knowledge);
  set.regime = regime;
  const auto count = static_cast<std::size_t>(regions.centers().size());
  std::vector<bool> used(count, false);
  double cost = 0.0;
  for (const std::size_t i : random_order(count, seed)) {
    if (used[i] || regions.size(static_cast<Index>(i)) == 0) continue;
    TrainingSet::Block block = neighbourhood(knowledge, regions, static_cast<Index>(i),
                                             std::min(kNeighbourhood, most_observations), used);
    cost += std::pow(static_cast<double>(block.inputs.rows()), 3);
    const bool too_much =
        set.observations + set.fresh(block) > most_observations || cost > kLargestTrainingCost;
    if (!set.blocks.empty() && too_much) break;
    set.add(regime == 0 ? std::move(block) : given_last(block, regime));
  }
  return set;
}

TrainingSet before(const TrainingSet& set, std::uint64_t sequence) {
  TrainingSet result = without_blocks(set);
  for (const TrainingSet::Block& block : set.blocks) {
    std::vector<Index> rows;
    for (Index i = 0; i < block.inputs.rows(); ++i) {
      if (block.sequence[static_cast<std::size_t>(i)] < sequence) rows.push_back(i);
    }
    if (!rows.empty()) result.add(some_of(block, rows));
  }
  return result;
}

TrainingSet thin(const TrainingSet& set, Index most_rows) {
  if (set.rows() <= most_rows) return set;
  TrainingSet result = without_blocks(set);
  // Whole blocks where they fit, so that the points stay as dense as the local GPs see them; a
  // block that is too large by itself gives its first points, the oldest and so the most spread
  // out.
  for (const TrainingSet::Block& block : set.blocks) {
    const Index left = most_rows - result.rows();
    if (left <= 0) break;
    const Index n = std::min(block.inputs.rows(), left);
    if (n < block.inputs.rows() && !result.blocks.empty()) break;
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    result.add(some_of(block, rows));
  }
  return result;
}

TrainingSet neighbourhoods(const TrainingSet& set, Index most_rows, Index block_size) {
  TrainingSet result = without_blocks(set);
  const Eigen::RowVectorXd inverse_spread = length_scale_unit(set).cwiseInverse().transpose();
  for (const TrainingSet::Block& block : set.blocks) {
    if (result.rows() >= most_rows) break;
    const Index n = block.inputs.rows();
    const Index size = std::min(n, block_size);
    const Eigen::VectorXd distance =
        ((block.inputs.rowwise() - block.inputs.row(set.fresh(block) / 2)) *
         inverse_spread.asDiagonal())
            .rowwise()
            .squaredNorm();
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::nth_element(rows.begin(), rows.begin() + (size - 1), rows.end(),
                     [&](Index a, Index b) { return distance(a) < distance(b); });
    rows.resize(static_cast<std::size_t>(size));
    std::sort(rows.begin(), rows.end());
    result.add(some_of(block, rows));
  }
  return result;
}

}  // namespace splitgp
