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

void thin_evenly(TrainingSet::Block& block, Index most) {
  const Index n = block.inputs.rows();
  for (Index to = 0; to < most; ++to) {
    const Index from = to * n / most;
    block.inputs.row(to) = block.inputs.row(from);
    block.outputs.row(to) = block.outputs.row(from);
    block.noise_variance(to) = block.noise_variance(from);
    block.sequence[static_cast<std::size_t>(to)] = block.sequence[static_cast<std::size_t>(from)];
  }
  block.inputs.conservativeResize(most, Eigen::NoChange);
  block.outputs.conservativeResize(most, Eigen::NoChange);
  block.noise_variance.conservativeResize(most);
  block.sequence.resize(static_cast<std::size_t>(most));
}

// Region `first` with what its model borrows or, if that is little, the observations owned by
// it and the regions most similar to it.
TrainingSet::Block neighbourhood(const StreamKnowledge& knowledge, const TrainingRegions& regions,
                                 Index first, Index enough, std::vector<bool>& used) {
  TrainingSet::Block block;
  used[static_cast<std::size_t>(first)] = true;
  if (regions.size(first) >= enough || regions.centers().size() == 1) {
    regions.append(first, false, block);
    if (block.inputs.rows() > kLargestBlock) thin_evenly(block, kLargestBlock);
    return block;
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

}  // namespace

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
                              Index most_observations, std::uint64_t seed) {
  TrainingSet set = scale_of(knowledge);
  const auto count = static_cast<std::size_t>(regions.centers().size());
  std::vector<bool> used(count, false);
  double cost = 0.0;
  for (const std::size_t i : random_order(count, seed)) {
    if (used[i]) continue;
    TrainingSet::Block block = neighbourhood(knowledge, regions, static_cast<Index>(i),
                                             std::min(kNeighbourhood, most_observations), used);
    const Index n = block.inputs.rows();
    cost += std::pow(static_cast<double>(n), 3);
    const bool too_much = set.observations + n > most_observations || cost > kLargestTrainingCost;
    if (!set.blocks.empty() && too_much) break;
    set.blocks.push_back(std::move(block));
    set.observations += n;
  }
  return set;
}

TrainingSet latest(const TrainingSet& set) {
  TrainingSet result = set;
  result.observations = 0;
  std::erase_if(result.blocks, [](const TrainingSet::Block& block) { return block.latest == 0; });
  for (TrainingSet::Block& block : result.blocks) {
    block.given = block.inputs.rows() - block.latest;
    result.observations += block.latest;
  }
  return result;
}

TrainingSet thin(const TrainingSet& set, Index most_observations) {
  if (set.observations <= most_observations) return set;
  TrainingSet result = set;
  result.blocks.clear();
  result.observations = 0;
  // Whole blocks where they fit, so that the points stay as dense as the local GPs see them; a
  // block that is too large by itself gives its first points, the oldest and so the most spread
  // out.
  for (const TrainingSet::Block& block : set.blocks) {
    const Index left = most_observations - result.observations;
    if (left <= 0) break;
    const Index whole = block.inputs.rows();
    const Index n = std::min(whole, left);
    if (n < whole && !result.blocks.empty()) break;
    const Index given = std::max<Index>(0, block.given - (whole - n));
    result.blocks.push_back({block.inputs.topRows(n),
                             block.outputs.topRows(n),
                             block.noise_variance.head(n),
                             {block.sequence.begin(), block.sequence.begin() + n},
                             given});
    result.observations += n - given;
  }
  return result;
}

TrainingSet neighbourhoods(const TrainingSet& set, Index most_observations, Index block_size) {
  TrainingSet result = set;
  result.blocks.clear();
  result.observations = 0;
  const Eigen::RowVectorXd inverse_spread = length_scale_unit(set).cwiseInverse().transpose();
  for (const TrainingSet::Block& block : set.blocks) {
    if (result.observations >= most_observations) break;
    const Index n = block.inputs.rows() - block.given;
    const Index size = std::min(n, block_size);
    const Eigen::VectorXd distance =
        ((block.inputs.rowwise() - block.inputs.row(n / 2)) * inverse_spread.asDiagonal())
            .rowwise()
            .squaredNorm();
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    std::nth_element(rows.begin(), rows.begin() + (size - 1), rows.end(),
                     [&](Index a, Index b) { return distance(a) < distance(b); });
    rows.resize(static_cast<std::size_t>(size));
    std::sort(rows.begin(), rows.end());
    for (Index j = n; j < block.inputs.rows(); ++j) rows.push_back(j);
    TrainingSet::Block part{block.inputs(rows, Eigen::all),
                            block.outputs(rows, Eigen::all),
                            block.noise_variance(rows),
                            {},
                            block.given};
    for (const Index j : rows) part.sequence.push_back(block.sequence[static_cast<std::size_t>(j)]);
    result.blocks.push_back(std::move(part));
    result.observations += size;
  }
  return result;
}

}  // namespace splitgp
