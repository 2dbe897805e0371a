#include "core/train/regime_set.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "core/base/shuffle.h"

namespace splitgp {

using Eigen::Index;

namespace {

// A block with given rows. Fresh and older ones are in it as they are in the local GPs: where the
// older ones contradict the fresh ones and are many, a θ that was shown few of them would be far
// too sure. But a quarter, or a hundred, are fresh.
constexpr std::size_t kMixedBlock = 400;
constexpr std::size_t kFewestFresh = 100;
constexpr std::size_t kGivenForEachFresh = 3;

struct Owner {
  Index local_gp;
  std::uint64_t newest;
};

// The newest first; the others shuffled.
std::vector<Owner> owners_since(const Partition& partition, std::uint64_t regime,
                                std::uint64_t seed) {
  std::vector<Owner> owners;
  for (Index i = 0; i < partition.size(); ++i) {
    if (partition.at(i).owned() == 0) continue;
    const std::uint64_t newest = partition.at(i).newest();
    if (newest >= regime) owners.push_back({i, newest});
  }
  std::mt19937_64 random(seed);
  shuffle(owners, random);
  const auto newest =
      std::max_element(owners.begin(), owners.end(),
                       [](const Owner& a, const Owner& b) { return a.newest < b.newest; });
  if (newest != owners.end()) std::iter_swap(owners.begin(), newest);
  return owners;
}

struct Row {
  const LocalGp* local;
  Index row;
  std::uint64_t sequence() const { return local->sequence(row); }
};

void add_own(const LocalGp& local, std::uint64_t regime, std::vector<Row>& fresh,
             std::vector<Row>& older) {
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) (local.sequence(j) >= regime ? fresh : older).push_back({&local, j});
  }
}

void thin_evenly(std::vector<Row>& rows, std::size_t most) {
  if (rows.size() <= most) return;
  for (std::size_t to = 0; to < most; ++to) rows[to] = rows[to * rows.size() / most];
  rows.resize(most);
}

// Half of them the older rows next to the fresh ones, which say most about them: for each fresh row
// in turn the nearest that is left. The others evenly from the rest: the local GPs hold them too,
// and a θ that calls them impossible predicts nonsense from them.
void keep_telling(const std::vector<Row>& fresh, const Eigen::VectorXd& scale, std::size_t most,
                  std::vector<Row>& older) {
  if (older.size() <= most) return;
  Eigen::MatrixXd inputs(scale.size(), std::ssize(older));
  for (std::size_t j = 0; j < older.size(); ++j) {
    inputs.col(static_cast<Index>(j)) =
        older[j].local->inputs().row(older[j].row).transpose().cwiseQuotient(scale);
  }
  const std::size_t near = most / 2;
  for (std::size_t kept = 0; kept < near; ++kept) {
    const Row& row = fresh[kept * fresh.size() / near];
    const Eigen::VectorXd x = row.local->inputs().row(row.row).transpose().cwiseQuotient(scale);
    const auto left = inputs.rightCols(std::ssize(older) - static_cast<Index>(kept));
    Index nearest = 0;
    (left.colwise() - x).colwise().squaredNorm().minCoeff(&nearest);
    const std::size_t chosen = kept + static_cast<std::size_t>(nearest);
    std::swap(older[kept], older[chosen]);
    inputs.col(static_cast<Index>(kept)).swap(inputs.col(static_cast<Index>(chosen)));
  }
  const std::size_t rest = older.size() - near;
  for (std::size_t to = 0; to < most - near; ++to)
    older[near + to] = older[near + to * rest / (most - near)];
  older.resize(most);
}

TrainingSet::Block block_of(std::vector<Row>& fresh, std::vector<Row>& older,
                            const Eigen::VectorXd& scale, std::uint64_t trained) {
  // The newest first: those are what a first look at part of the block sees.
  std::sort(fresh.begin(), fresh.end(),
            [](const Row& a, const Row& b) { return a.sequence() > b.sequence(); });
  thin_evenly(fresh, static_cast<std::size_t>(kLargestBlock));
  const std::size_t all = fresh.size() + older.size();
  if (!older.empty() && all > kMixedBlock) {
    thin_evenly(fresh, std::max(kFewestFresh, kMixedBlock * fresh.size() / all));
    const std::size_t most =
        std::min(kGivenForEachFresh * fresh.size(), kMixedBlock - fresh.size());
    keep_telling(fresh, scale, most, older);
  }
  TrainingSet::Block block;
  const auto n = static_cast<Index>(fresh.size() + older.size());
  block.given = std::ssize(older);
  block.latest = std::count_if(fresh.begin(), fresh.end(),
                               [&](const Row& row) { return row.sequence() >= trained; });
  block.inputs.resize(n, fresh.front().local->inputs().cols());
  block.outputs.resize(n, fresh.front().local->outputs().cols());
  block.noise_variance.resize(n);
  Index to = 0;
  for (const std::vector<Row>* rows : {&fresh, &older}) {
    for (const auto& [local, from] : *rows) {
      block.inputs.row(to) = local->inputs().row(from);
      block.outputs.row(to) = local->outputs().row(from);
      block.noise_variance(to++) = local->noise_variance()(from);
      block.sequence.push_back(local->sequence(from));
    }
  }
  return block;
}

// `first` and the other owners most similar to it.
TrainingSet::Block neighbourhood(const StreamKnowledge& knowledge, const Partition& partition,
                                 std::uint64_t regime, Index first, Index enough,
                                 const Eigen::VectorXd& scale, std::vector<bool>& left) {
  std::vector<Row> fresh;
  std::vector<Row> older;
  std::vector<Neighbor> neighbors;
  partition.centers.most_similar(knowledge.theta->kernel, partition.at(first).center(), 2 * enough,
                                 neighbors);
  add_own(partition.at(first), regime, fresh, older);
  left[static_cast<std::size_t>(first)] = false;
  for (const Neighbor& neighbor : neighbors) {
    if (std::ssize(fresh) >= enough) break;
    const auto i = static_cast<std::size_t>(neighbor.local_gp);
    if (!left[i]) continue;
    left[i] = false;
    add_own(partition.at(neighbor.local_gp), regime, fresh, older);
  }
  const std::vector<TrainResult>& history = knowledge.training_history;
  return block_of(fresh, older, scale, history.empty() ? 0 : history.back().sequence);
}

void follow_scale(TrainingSet& set) {
  for (Index o = 0; o < set.output_mean.size(); ++o) {
    StreamStatistics statistics(1);
    for (const TrainingSet::Block& block : set.blocks) {
      for (Index i = 0; i < block.outputs.rows() - block.given; ++i)
        statistics.add(block.outputs.row(i).segment(o, 1).transpose());
    }
    const double spread = statistics.spread()(0);
    const double size = std::abs(statistics.mean()(0));
    if (!(spread > 1e-12 * size) || spread < 1e-140) continue;  // constant: as the stream
    set.output_mean(o) = statistics.mean()(0);
    set.output_spread(o) = spread;
  }
  for (Index k = 0; k < set.input_spread.size(); ++k) {
    StreamStatistics statistics(1);
    for (const TrainingSet::Block& block : set.blocks) {
      for (Index i = 0; i < block.inputs.rows() - block.given; ++i)
        statistics.add(block.inputs.row(i).segment(k, 1).transpose());
    }
    if (!set.constant_input[static_cast<std::size_t>(k)])
      set.input_spread(k) = std::max(set.input_spread(k), statistics.spread()(0));
  }
}

}  // namespace

TrainingSet draw_regime_set(const StreamKnowledge& knowledge, const Partition& partition,
                            std::uint64_t regime, Index most_observations, std::uint64_t seed) {
  TrainingSet set = scale_of(knowledge);
  set.regime = regime;
  std::vector<bool> left(static_cast<std::size_t>(partition.size()), false);
  const std::vector<Owner> owners = owners_since(partition, regime, seed);
  for (const Owner& owner : owners) left[static_cast<std::size_t>(owner.local_gp)] = true;
  double cost = 0.0;
  for (const Owner& owner : owners) {
    if (!left[static_cast<std::size_t>(owner.local_gp)]) continue;
    TrainingSet::Block block =
        neighbourhood(knowledge, partition, regime, owner.local_gp,
                      std::min(kNeighbourhood, most_observations), set.input_spread, left);
    cost += std::pow(static_cast<double>(block.inputs.rows()), 3);
    const Index n = block.inputs.rows() - block.given;
    const bool too_much = set.observations + n > most_observations || cost > kLargestTrainingCost;
    if (!set.blocks.empty() && too_much) break;
    set.blocks.push_back(std::move(block));
    set.observations += n;
  }
  follow_scale(set);
  return set;
}

}  // namespace splitgp
