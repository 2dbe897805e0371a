#include "core/model/redundancy.h"

#include <limits>

#include "core/partition/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

// How many of each local GP's observations are compared.
constexpr int kCompared = 3;

// SplitMix64: numbers that follow from the options' seed and the observation alone, so that there
// is nothing to store.
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15u;
  std::uint64_t mixed = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

}  // namespace

std::uint64_t redundant(ModelState& model, const Observation& observation) {
  Partition& partition = model.partition;
  std::uint64_t random = model.options.seed ^ (observation.sequence * 0xd1342543de82ef95u);
  const Index drawn =
      static_cast<Index>(next_random(random) % static_cast<std::uint64_t>(partition.size()));
  std::uint64_t chosen = partition.oldest;
  double smallest = std::numeric_limits<double>::infinity();
  const Route near = partition.route(observation.x, model.knowledge.theta->kernel, 1);
  for (const Index i : {near.owner(), drawn}) {
    wake(partition, i);
    const LocalGp& local = partition.at(i);
    for (int k = 0; k < kCompared; ++k) {
      const auto rank = next_random(random) % static_cast<std::uint64_t>(local.owned());
      const Index j = local.owned_row(static_cast<Index>(rank));
      const double variance = local.leave_one_out_variance(j, partition.workspace);
      if (!(variance < smallest) || local.sequence(j) == observation.sequence) continue;
      smallest = variance;
      chosen = local.sequence(j);
    }
  }
  return chosen;
}

}  // namespace splitgp
