// What a SplittingGp reports about itself.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {

using Eigen::Index;

const Options& SplittingGp::options() const { return state_->options; }
Index SplittingGp::n_inputs() const { return state_->inputs; }
Index SplittingGp::n_outputs() const { return state_->outputs; }
std::uint64_t SplittingGp::n_observations() const { return state_->partition.held; }
std::uint64_t SplittingGp::n_seen() const { return state_->knowledge.observations; }
Index SplittingGp::n_local() const { return state_->partition.size(); }
const std::vector<SplitRecord>& SplittingGp::split_history() const {
  return state_->partition.split_history;
}

std::vector<LocalGpSummary> SplittingGp::local_gps() const {
  Internals::check_usable(*this);
  std::vector<LocalGpSummary> result;
  result.reserve(state_->partition.local_gps.size());
  for (const LocalGp& local : state_->partition.local_gps) {
    LocalGpSummary& summary = result.emplace_back();
    summary.local_gp = std::ssize(result) - 1;
    summary.center = local.center();
    summary.owned = local.owned();
    summary.borrowed = local.borrowed();
    summary.theta_version = local.theta().version;
    summary.memory_bytes = local.memory_bytes();
    for (Index o = 0; o < state_->outputs; ++o) {
      summary.innovation.push_back(state_->monitor.drift.statistics_of(summary.local_gp, o));
    }
    summary.awake = !local.dormant();
    if (!summary.awake) continue;
    summary.jittered = local.jittered();
    const double ratio = local.factor().largest_pivot() / local.factor().smallest_pivot();
    summary.condition = ratio * ratio;
  }
  return result;
}

std::vector<InnovationStatistics> SplittingGp::innovation_statistics() const {
  std::vector<InnovationStatistics> result;
  for (Index o = 0; o < state_->outputs; ++o) {
    result.push_back(state_->monitor.drift.stream_statistics(o));
  }
  return result;
}

std::vector<ExpertShares> SplittingGp::expert_shares() const {
  std::vector<ExpertShares> result;
  for (Index o = 0; state_->monitor.experts && o < state_->outputs; ++o) {
    const Mixture& next = state_->monitor.experts->next(o);
    result.push_back({next.error_share(), next.share(Opinions::kMean), next.share(Opinions::kLast),
                      next.share(Opinions::kLinear)});
  }
  return result;
}

std::vector<Alarm> SplittingGp::alarms() const {
  std::vector<Alarm> alarms;
  for (std::size_t i = 0; i < state_->monitor.alarms.size(); ++i)
    alarms.push_back(state_->monitor.alarms[i]);
  return alarms;
}
std::uint64_t SplittingGp::n_alarms() const { return state_->monitor.n_alarms; }
std::uint64_t SplittingGp::n_rejected() const { return state_->monitor.rejected; }

ColumnStatistics SplittingGp::input_statistics() const {
  const StreamStatistics& statistics = state_->knowledge.input_statistics;
  return {statistics.mean(), statistics.spread()};
}

ColumnStatistics SplittingGp::output_statistics() const {
  const StreamStatistics& statistics = state_->knowledge.output_statistics;
  return {statistics.mean(), statistics.spread()};
}

namespace {

void make_room_in(Observations& observations, const ModelState& model, Index count) {
  observations.inputs.resize(model.inputs, count);
  observations.outputs.resize(model.outputs, count);
  observations.noise_variance.resize(count);
  observations.sequence.resize(static_cast<std::size_t>(count));
}

void copy(const LocalGp& local, Index j, Observations& observations, Index to) {
  observations.inputs.col(to) = local.inputs().row(j).transpose();
  observations.outputs.col(to) = local.outputs().row(j).transpose();
  observations.noise_variance(to) = local.noise_variance()(j);
  observations.sequence[static_cast<std::size_t>(to)] = local.sequence(j);
}

}  // namespace

Observations SplittingGp::observations() const {
  Internals::check_usable(*this);
  struct Place {
    std::uint64_t sequence;
    const LocalGp* local;
    Index row;
  };
  std::vector<Place> places;
  places.reserve(state_->partition.held);
  for (const LocalGp& local : state_->partition.local_gps) {
    for (Index j = 0; j < local.size(); ++j) {
      if (local.owns(j)) places.push_back({local.sequence(j), &local, j});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.sequence < b.sequence; });
  Observations result;
  make_room_in(result, *state_, std::ssize(places));
  for (Index i = 0; i < std::ssize(places); ++i) {
    const Place& place = places[static_cast<std::size_t>(i)];
    copy(*place.local, place.row, result, i);
  }
  return result;
}

LocalGpPoints SplittingGp::points(Index local_gp) const {
  Internals::check_usable(*this);
  if (local_gp < 0 || local_gp >= n_local()) {
    throw InvalidArgument("local_gp is " + std::to_string(local_gp) + "; the model has " +
                          std::to_string(n_local()) + " local GPs, counted from 0");
  }
  const LocalGp& local = state_->partition.at(local_gp);
  LocalGpPoints result;
  make_room_in(result, *state_, local.size());
  for (Index j = 0; j < local.size(); ++j) {
    copy(local, j, result, j);
    result.owned.push_back(local.owns(j));
  }
  return result;
}

std::size_t SplittingGp::memory_bytes() const {
  const ModelState& model = *state_;
  const StreamHistory& knowledge = model.knowledge;
  const auto vectors_of = [](const Hyperparameters& theta) {
    return static_cast<std::size_t>(theta.length_scale.size() + theta.mean.size() +
                                    theta.output_scale.size() + theta.trend_slope.size() +
                                    theta.trend_origin.size() + theta.trend_range.size()) *
           sizeof(double);
  };
  std::size_t bytes = sizeof(*this) + sizeof(State) + model.partition.centers.memory_bytes() +
                      model.partition.split_history.capacity() * sizeof(SplitRecord) +
                      knowledge.training_history.capacity() * sizeof(TrainResult);
  bytes += static_cast<std::size_t>(model.partition.workspace.columns.size()) * sizeof(double);
  bytes += model.monitor.memory_bytes(model.inputs);
  bytes += model.partition.neighbors.capacity() * sizeof(Neighbor);
  bytes += model.partition.holders.memory_bytes() + model.retention.expiry.memory_bytes();
  bytes += static_cast<std::size_t>(2 * knowledge.outputs()) * sizeof(double);  // of surprise
  bytes += sizeof(Theta) + 2 * vectors_of(knowledge.theta->values);
  if (model.options.hyperparameters) bytes += vectors_of(*model.options.hyperparameters);
  for (const TrainResult& result : knowledge.training_history) bytes += vectors_of(result.theta);
  for (const LocalGp& local : model.partition.local_gps.all()) bytes += local.memory_bytes();
  if (model.partition.renewing.renewal)
    bytes += model.partition.renewing.renewal->factor.memory_bytes();
  return bytes + model.trainer.memory_bytes();
}

}  // namespace splitgp
