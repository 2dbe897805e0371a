#include "core/training_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "core/model_state.h"

namespace splitgp {

using Eigen::Index;

namespace {

// Fisher–Yates with a modulo: std::shuffle's result differs between standard libraries.
std::vector<std::size_t> random_order(std::size_t n, std::uint64_t seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

void append_rows(TrainingSet::Block& block, const LocalGp& local, bool owned_only) {
  Index row = block.inputs.rows();
  const Index rows = row + (owned_only ? local.owned() : local.size());
  block.inputs.conservativeResize(rows, local.inputs().cols());
  block.outputs.conservativeResize(rows, local.outputs().cols());
  block.noise_variance.conservativeResize(rows);
  for (Index j = 0; j < local.size(); ++j) {
    if (owned_only && !local.owns(j)) continue;
    block.inputs.row(row) = local.inputs().row(j);
    block.outputs.row(row) = local.outputs().row(j);
    block.noise_variance(row++) = local.noise_variance()(j);
  }
}

void thin_evenly(TrainingSet::Block& block, Index most) {
  const Index n = block.inputs.rows();
  for (Index to = 0; to < most; ++to) {
    const Index from = to * n / most;
    block.inputs.row(to) = block.inputs.row(from);
    block.outputs.row(to) = block.outputs.row(from);
    block.noise_variance(to) = block.noise_variance(from);
  }
  block.inputs.conservativeResize(most, Eigen::NoChange);
  block.outputs.conservativeResize(most, Eigen::NoChange);
  block.noise_variance.conservativeResize(most);
}

// Local GP `first`, with what it inherits; or, if that is little, the observations that it and the
// local GPs most similar to it own.
TrainingSet::Block neighbourhood(const ModelState& model, std::size_t first, Index enough,
                                 std::vector<bool>& used) {
  TrainingSet::Block block;
  const LocalGp& middle = model.local_gps[first];
  used[first] = true;
  if (middle.size() >= enough || model.local_gps.size() == 1) {
    append_rows(block, middle, false);
    if (block.inputs.rows() > kLargestBlock) thin_evenly(block, kLargestBlock);
    return block;
  }
  std::vector<Neighbor> neighbors;
  model.centers.most_similar(model.theta->kernel, middle.center(), 2 * enough, neighbors);
  append_rows(block, middle, true);
  for (const Neighbor& neighbor : neighbors) {
    const auto i = static_cast<std::size_t>(neighbor.local_gp);
    const LocalGp& local = model.local_gps[i];
    if (used[i]) continue;
    if (block.inputs.rows() + local.owned() > enough) break;
    used[i] = true;
    append_rows(block, local, true);
  }
  return block;
}

}  // namespace

TrainingSet draw_training_set(const ModelState& model, Index most_observations,
                              std::uint64_t seed) {
  TrainingSet set;
  set.sequence = model.next_sequence;
  std::vector<bool> used(model.local_gps.size(), false);
  double cost = 0.0;
  for (const std::size_t i : random_order(model.local_gps.size(), seed)) {
    if (used[i]) continue;
    TrainingSet::Block block =
        neighbourhood(model, i, std::min(kNeighbourhood, most_observations), used);
    const Index n = block.inputs.rows();
    cost += std::pow(static_cast<double>(n), 3);
    const bool too_much = set.observations + n > most_observations || cost > kLargestTrainingCost;
    if (!set.blocks.empty() && too_much) break;
    set.blocks.push_back(std::move(block));
    set.observations += n;
  }
  const StreamStatistics& inputs = model.input_statistics;
  const StreamStatistics& outputs = model.output_statistics;
  set.input_spread = inputs.spread();
  set.output_mean = outputs.mean();
  set.output_spread = outputs.spread();
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

TrainingSet thin(const TrainingSet& set, Index most_observations) {
  if (set.observations <= most_observations) return set;
  TrainingSet result = set;
  result.blocks.clear();
  result.observations = 0;
  // Whole blocks where they fit, so that the density of points stays what the local GPs see; a
  // block that is too large alone gives its first points, the oldest and so the most spread out.
  for (const TrainingSet::Block& block : set.blocks) {
    const Index left = most_observations - result.observations;
    if (left <= 0) break;
    const Index n = std::min(block.inputs.rows(), left);
    if (n < block.inputs.rows() && !result.blocks.empty()) break;
    result.blocks.push_back(
        {block.inputs.topRows(n), block.outputs.topRows(n), block.noise_variance.head(n)});
    result.observations += n;
  }
  return result;
}

}  // namespace splitgp
