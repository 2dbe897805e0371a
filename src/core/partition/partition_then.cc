#include "core/partition/partition_then.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace splitgp {

using Eigen::Index;

namespace {

struct Place {
  std::uint64_t sequence;
  const LocalGp* local;
  Index row;
};

// In order of arrival, as a local GP holds them.
LocalGp restore(std::vector<Place> places, const LocalGp& now, const Options& options) {
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.sequence < b.sequence; });
  const Index n = std::ssize(places);
  LocalGp::Points points{Eigen::MatrixXd(n, now.inputs().cols()),
                         Eigen::MatrixXd(n, now.outputs().cols()),
                         Eigen::VectorXd(n),
                         {},
                         std::vector<std::uint8_t>(places.size(), 1)};
  for (Index j = 0; j < n; ++j) {
    const Place& place = places[static_cast<std::size_t>(j)];
    points.inputs.row(j) = place.local->inputs().row(place.row);
    points.outputs.row(j) = place.local->outputs().row(place.row);
    points.noise_variance(j) = place.local->noise_variance()(place.row);
    points.sequence.push_back(place.sequence);
  }
  return LocalGp::restore(std::move(points), now.theta_pointer(), options);
}

}  // namespace

PartitionThen::PartitionThen(const Partition& partition, std::uint64_t sequence, Index size,
                             const Options& options)
    : partition_(partition), size_(size) {
  // Where a local GP was that did not exist yet: in the one that it was split from.
  const auto then = [&](Index i) {
    while (i >= size) i = partition.split_history[static_cast<std::size_t>(i - 1)].parent;
    return i;
  };
  std::map<Index, std::vector<Index>> parts;
  for (Index i = 0; i < partition.size(); ++i) {
    const LocalGp& local = partition.at(i);
    if (i >= size || local.sequence(local.size() - 1) > sequence) parts[then(i)].push_back(i);
  }
  for (auto& [i, members] : parts) {
    if (members.front() != i) members.push_back(i);
    std::vector<Place> places;
    for (const Index member : members) {
      const LocalGp& local = partition.at(member);
      for (Index j = 0; j < local.size(); ++j) {
        if (local.sequence(j) <= sequence) places.push_back({local.sequence(j), &local, j});
      }
    }
    changed_.emplace(i, restore(std::move(places), partition.at(i), options));
  }
}

}  // namespace splitgp
