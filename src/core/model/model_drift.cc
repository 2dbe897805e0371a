#include "core/model/model_drift.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/base/operations.h"
#include "core/model/forget.h"
#include "core/model/model_calibration.h"

namespace splitgp {

using Eigen::Index;

namespace {

// A reading this many standard deviations away is absurd.
constexpr double kOutlier = 8.0;

// While θ is a guess, innovations tell more about it than about the stream.
bool is_watching(const ModelState& model) {
  const StreamKnowledge& knowledge = model.knowledge;
  return knowledge.schedule.ever_trained() || knowledge.theta_given ||
         model.options.training == Training::off;
}

double noise_deviation(const ModelState& model, double local_scale, Index output) {
  const Hyperparameters& theta = model.knowledge.theta->values;
  double variance = theta.noise_variance;
  if (!model.calibrators.empty()) {
    variance *= model.calibrators[static_cast<std::size_t>(output)].local_factor();
    variance *= local_scale;
  }
  // Never 0, so that sizes stay finite.
  return std::sqrt(std::max(variance, 1e-12 * theta.signal_variance)) * theta.output_scale(output);
}

// The smallest box with the inputs that these local GPs own.
void find_box(const ModelState& model, const PartitionThen& then,
              const std::vector<Index>& local_gps, Alarm& alarm) {
  alarm.lower.resize(model.inputs);
  alarm.upper.resize(model.inputs);
  alarm.lower.setConstant(std::numeric_limits<double>::infinity());
  alarm.upper.setConstant(-std::numeric_limits<double>::infinity());
  for (const Index i : local_gps) {
    const LocalGp& local = then.at(i);
    count_operations(local.owned() * model.inputs);
    for (Index j = 0; j < local.size(); ++j) {
      if (!local.owns(j)) continue;
      for (Index k = 0; k < model.inputs; ++k) {
        alarm.lower(k) = std::min(alarm.lower(k), local.inputs()(j, k));
        alarm.upper(k) = std::max(alarm.upper(k), local.inputs()(j, k));
      }
    }
  }
}

// The local GPs with their center in a slab; none for other groups, which know theirs.
void find_local_gps_in(const ModelState& model, const PartitionThen& then, Index group,
                       std::vector<Index>& inside) {
  inside.clear();
  if (!model.drift.is_slab(group)) return;
  const Slabs& slabs = model.drift.slabs();
  for (Index i = 0; i < then.size(); ++i) {
    if (slabs.contains(group - 1, then.at(i).center(), model.knowledge.input_statistics)) {
      inside.push_back(i);
    }
  }
}

// A reserved model's alarms have their memory already.
Alarm& add_alarm(ModelState& model, UpdateResult& result) {
  Alarm& alarm = result.alarms.emplace_back();
  if (model.reserved && !model.reserved->spare_alarms.empty()) {
    std::swap(alarm, model.reserved->spare_alarms.back());
    model.reserved->spare_alarms.pop_back();
  }
  return alarm;
}

// Forgets what these local GPs own and what is older than the change. The last they hold must stay
// if nothing newer came to any of them.
std::uint64_t forget_older(ModelState& model, const std::vector<Index>& local_gps,
                           std::uint64_t change_point) {
  std::vector<std::uint64_t> older;
  for (const Index i : local_gps) {
    const LocalGp& local = model.partition.at(i);
    for (Index j = 0; j < local.size(); ++j) {
      if (local.owns(j) && local.sequence(j) < change_point) older.push_back(local.sequence(j));
    }
  }
  if (older.size() == model.partition.held) return 0;
  return forget(model, older).forgotten;
}

// After merging, numbers of local GPs may have changed.
Index owner_of(ModelState& model, std::uint64_t sequence) {
  const Partition& partition = model.partition;
  partition.holders.of(sequence, model.found);
  const auto owner = std::find_if(model.found.begin(), model.found.end(), [&](Index i) {
    return partition.at(i).owns(partition.at(i).find(sequence));
  });
  return *owner;
}

}  // namespace

void note_innovation(ModelState& model, const Observation& observation, const LookedAhead& looked,
                     UpdateResult& result) {
  result.innovation.resize(static_cast<std::size_t>(model.outputs));
  for (Index o = 0; o < model.outputs; ++o) {
    const auto at = static_cast<std::size_t>(o);
    const double raw = looked.innovation(o);
    double factor = 1.0;
    double degrees_of_freedom = std::numeric_limits<double>::infinity();
    if (!model.calibrators.empty()) {
      factor = model.local_scales(o) * model.calibrators[at].local_factor();
      degrees_of_freedom = model.calibrators[at].degrees_of_freedom();
    }
    const double deviation = looked.deviation * looked.theta.output_scale(o);
    Innovation& innovation = result.innovation[at];
    innovation.mean = observation.y(o) - raw * deviation;
    innovation.variance = deviation * deviation * factor;
    innovation.z = raw / std::sqrt(factor);
    Score& score = model.scores[at];
    score.value = normal_score(innovation.z, degrees_of_freedom);
    const double most = 3.0 * std::sqrt(innovation.variance);
    score.error = std::clamp(raw * deviation, -most, most);
    if (is_watching(model) && std::abs(innovation.z) > kOutlier) result.outlier = true;
  }
}

bool is_rejected(const ModelState& model, const UpdateResult& result) {
  return result.outlier && model.options.outliers == Outliers::reject &&
         !model.drift.suspects(result.routed_to);
}

std::optional<Drift::Found> watch(ModelState& model, const Observation& observation,
                                  const UpdateResult& result) {
  if (!is_watching(model)) return std::nullopt;
  model.drift.slabs().find(observation.x, model.knowledge.input_statistics, model.slabs);
  return model.drift.observe(result.routed_to, result.sequence, model.scores, model.slabs);
}

void raise_alarm(ModelState& model, const Drift::Found& found, UpdateResult& result) {
  const LocalGp& local = model.partition.at(result.local_gp);
  raise_alarm(model, found, PartitionThen(model.partition),
              local.dormant() ? 1.0 : local.local_scale(found.output), result);
}

void raise_alarm(ModelState& model, const Drift::Found& found, const PartitionThen& then,
                 double local_scale, UpdateResult& result) {
  find_local_gps_in(model, then, found.group, model.inside);
  std::vector<Index>& local_gps = model.changed_cells;
  model.drift.changed_cells(found, result.local_gp, model.inside, local_gps, model.silent);
  if (local_gps.empty()) local_gps.push_back(result.local_gp);
  Alarm& alarm = add_alarm(model, result);
  alarm.sequence = result.sequence;
  alarm.change_point = found.change_point;
  alarm.output = found.output;
  alarm.kind = found.kind;
  alarm.whole_stream = found.group == Drift::kStream;
  alarm.local_gp = result.local_gp;
  alarm.local_gps = std::ssize(local_gps);
  alarm.rows = found.rows;
  alarm.size = found.size;
  alarm.size_in_noise = found.size / noise_deviation(model, local_scale, found.output);
  find_box(model, then, local_gps, alarm);
  if (model.options.on_drift == OnDrift::forget) {
    model.drift.settle(found, local_gps);
    alarm.forgotten = forget_older(model, local_gps, found.change_point);
    if (!result.rejected) alarm.local_gp = result.local_gp = owner_of(model, result.sequence);
  }
  ++model.n_alarms;
  model.alarms.push_back(alarm);
}

}  // namespace splitgp
