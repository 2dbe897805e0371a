#include "rivals/training_draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace splitgp::rivals {

using Eigen::Index;

namespace {

// Of n_parts blocks that together cost no more than one may alone.
Index largest_block(Index n_parts) {
  return static_cast<Index>(std::cbrt(kLargestTrainingCost / static_cast<double>(n_parts)));
}

// The seed that core gives its own draw.
std::uint64_t seed_of(const ModelState& model) { return model.options.seed + model.next_sequence; }

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

// `most` of n rows in random order: the first ones of a block must be a fair sample too, because
// Train takes its first look at them.
std::vector<Index> draw_rows(Index n, Index most, std::mt19937_64& random) {
  return random_order(n, std::min(n, most), random);
}

LocalGp::Points points_of(const ExactGp& part, const std::vector<Index>& rows) {
  const Index n = std::ssize(rows);
  LocalGp::Points points{Eigen::MatrixXd(n, part.inputs().cols()),
                         Eigen::MatrixXd(n, part.outputs().cols()),
                         Eigen::VectorXd(n),
                         {},
                         std::vector<std::uint8_t>(rows.size(), 1)};
  for (Index to = 0; to < n; ++to) {
    const Index from = rows[static_cast<std::size_t>(to)];
    points.inputs.row(to) = part.inputs().row(from);
    points.outputs.row(to) = part.outputs().row(from);
    points.noise_variance(to) = part.noise_variance()(from);
    points.sequence.push_back(part.sequence(from));
  }
  return points;
}

}  // namespace

TrainingSet draw_from_regions(const ModelState& model, const std::vector<const ExactGp*>& parts) {
  std::mt19937_64 random(seed_of(model));
  const Index most = std::min<Index>(kLargestBlock, model.options.training_observations);
  ModelState scratch = model;
  for (const ExactGp* part : parts) {
    const std::vector<Index> rows = draw_rows(part->size(), most, random);
    scratch.centers.set(std::ssize(scratch.local_gps), part->center(), model.theta->kernel);
    scratch.local_gps.push_back(
        LocalGp::restore(points_of(*part, rows), model.theta, model.options));
  }
  return draw_training_set(scratch, model.options.training_observations, seed_of(model));
}

TrainingSet draw_from_shares(const ModelState& model, const std::vector<const ExactGp*>& parts) {
  const Index most_observations = model.options.training_observations;
  TrainingSet set = draw_training_set(model, most_observations, seed_of(model));  // scales alone
  if (parts.empty()) return set;
  std::mt19937_64 random(seed_of(model));
  const Index n_parts = std::ssize(parts);
  const Index share = std::min(largest_block(n_parts), most_observations / n_parts);
  const Index most = std::min(most_observations, std::max(kNeighbourhood, share));
  double cost = 0.0;
  for (const Index i : random_order(n_parts, n_parts, random)) {
    const ExactGp& part = *parts[static_cast<std::size_t>(i)];
    LocalGp::Points points = points_of(part, draw_rows(part.size(), most, random));
    const Index n = points.inputs.rows();
    cost += std::pow(static_cast<double>(n), 3);
    if (!set.blocks.empty() &&
        (set.observations + n > most_observations || cost > kLargestTrainingCost)) {
      break;
    }
    set.blocks.push_back(
        {std::move(points.inputs), std::move(points.outputs), std::move(points.noise_variance)});
    set.observations += n;
  }
  return set;
}

}  // namespace splitgp::rivals
