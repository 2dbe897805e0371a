#include "core/watch/monitor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/operations.h"

namespace splitgp {

using Eigen::Index;

namespace {

// A reading this many standard deviations away is absurd.
constexpr double kOutlier = 8.0;

// The smallest box with the inputs that these local GPs own.
void find_box(const PartitionThen& then, const std::vector<Index>& local_gps, Index inputs,
              Alarm& alarm) {
  alarm.lower.resize(inputs);
  alarm.upper.resize(inputs);
  alarm.lower.setConstant(std::numeric_limits<double>::infinity());
  alarm.upper.setConstant(-std::numeric_limits<double>::infinity());
  for (const Index i : local_gps) {
    const LocalGp& local = then.at(i);
    count_operations(local.owned() * inputs);
    for (Index j = 0; j < local.size(); ++j) {
      if (!local.owns(j)) continue;
      for (Index k = 0; k < inputs; ++k) {
        alarm.lower(k) = std::min(alarm.lower(k), local.inputs()(j, k));
        alarm.upper(k) = std::max(alarm.upper(k), local.inputs()(j, k));
      }
    }
  }
}

}  // namespace

Monitor::Monitor(const Options& options, Index inputs, Index outputs)
    : calibrators(options.calibration == Calibration::none ? 0 : static_cast<std::size_t>(outputs)),
      drift(inputs, outputs, options.rows_per_false_alarm),
      looked(outputs),
      conformal_(options.calibration == Calibration::conformal),
      rejects_(options.outliers == Outliers::reject),
      scores_(static_cast<std::size_t>(outputs)),
      slabs_(static_cast<std::size_t>(drift.slabs().of_row())) {
  if (options.experts && !calibrators.empty()) experts.emplace(inputs, outputs);
}

bool Monitor::wants_prediction(const Yardstick& by, Index local_gps, std::uint64_t ahead) const {
  if (calibrators.empty()) return false;
  // With one local GP there is nothing to aggregate.
  return conformal_ ||
         (local_gps > 1 && calibrators.front().next.wants_aggregated(by.in_units ? ahead : 0));
}

void Monitor::look(const LocalGp& owner, const LocalGp::Step& step) {
  looked.innovation = owner.looked_ahead();
  looked.deviation = step.deviation;
  looked.output_scale = owner.theta().values.output_scale;
  for (Index o = 0; o < std::ssize(calibrators); ++o) looked.local_scales(o) = owner.local_scale(o);
}

void Monitor::note_innovations(const Observation& row, const Yardstick& by, UpdateResult& result) {
  const Index outputs = looked.innovation.size();
  result.innovation.resize(static_cast<std::size_t>(outputs));
  for (Index o = 0; o < outputs; ++o) {
    const auto at = static_cast<std::size_t>(o);
    const double raw = looked.innovation(o);
    double factor = 1.0;
    double degrees_of_freedom = std::numeric_limits<double>::infinity();
    if (!calibrators.empty()) {
      factor = looked.local_scales(o) * owners(at).local_factor();
      degrees_of_freedom = owners(at).degrees_of_freedom();
    }
    const double deviation = looked.deviation * looked.output_scale(o);
    Innovation& innovation = result.innovation[at];
    innovation.mean = row.y(o) - raw * deviation;
    innovation.variance = deviation * deviation * factor;
    innovation.z = raw / std::sqrt(factor);
    Score& score = scores_[at];
    score.value = normal_score(innovation.z, degrees_of_freedom);
    const double most = 3.0 * std::sqrt(innovation.variance);
    score.error = std::clamp(raw * deviation, -most, most);
    if (by.trusted && std::abs(innovation.z) > kOutlier) result.outlier = true;
  }
}

Verdict Monitor::judge(const Observation& row, const Yardstick& by, UpdateResult& result) {
  note_innovations(row, by, result);
  result.rejected = result.outlier && rejects_ && !drift.suspects(result.record.routed_to);
  rejected += result.rejected ? 1 : 0;
  found_.reset();
  if (by.trusted) {
    drift.slabs().find(row.x, by.inputs, slabs_);
    found_ = drift.observe(result.record.routed_to, result.sequence, scores_, slabs_);
  }
  return result.rejected ? Verdict::reject : Verdict::learn;
}

// The squared error of a prediction, in units of its variance before calibration.
double Monitor::squared_innovation(const Observation& row, const Yardstick& by,
                                   const Prediction& before, Index output) const {
  const double scale = by.theta.values.output_scale(output);
  const double error = (row.y(output) - before.mean(output, 0)) / scale;
  const double variance = (before.variance(output, 0) + before.noise_variance(output, 0)) /
                          calibrators[static_cast<std::size_t>(output)].next.factor() / scale /
                          scale;
  return error * error / (variance + row.noise_variance);
}

void Monitor::learn(const Observation& row, const Yardstick& by, const Prediction* before,
                    Index local_gps) {
  if (experts) experts->learn(row.x, row.y, looked.back, looked.answered);
  if (!by.in_units) return;
  for (Index o = 0; o < std::ssize(calibrators); ++o) {
    ReachCalibrator& reach = calibrators[static_cast<std::size_t>(o)];
    Calibrator& calibrator = reach.next;
    const bool corrects = local_gps > 1 && calibrator.wants_aggregated();
    const double z = looked.innovation(o);
    double innovation = z * z / looked.local_scales(o);
    if (experts) {
      reach.owners.add(innovation, std::nullopt);
      innovation = splitgp::squared_innovation(looked.answered, o, 0);
    }
    std::optional<double> aggregated;
    if (before != nullptr) aggregated = squared_innovation(row, by, *before, o);
    if (conformal_) calibrator.add_conformal(aggregated.value_or(innovation));
    calibrator.add(innovation, corrects ? aggregated : std::nullopt);
    reach.learn(looked.back, experts ? looked.answered : looked.back, o, row.sequence);
  }
}

double Monitor::noise_deviation(const Yardstick& by, double local_scale, Index output) const {
  const Hyperparameters& theta = by.theta.values;
  double variance = theta.noise_variance;
  if (!calibrators.empty())
    variance *= owners(static_cast<std::size_t>(output)).local_factor() * local_scale;
  // Never 0, so that sizes stay finite.
  return std::sqrt(std::max(variance, 1e-12 * theta.signal_variance)) * theta.output_scale(output);
}

// The local GPs with their center in a slab; none for other groups, which know theirs.
void Monitor::find_inside(const PartitionThen& then, const Yardstick& by, Index group) {
  inside_.clear();
  if (!drift.is_slab(group)) return;
  for (Index i = 0; i < then.size(); ++i) {
    if (drift.slabs().contains(group - 1, then.at(i).center(), by.inputs)) inside_.push_back(i);
  }
}

Alarm& Monitor::raise(const PartitionThen& then, const Yardstick& by, double local_scale,
                      UpdateResult& result) {
  find_inside(then, by, found_->group);
  drift.changed_cells(*found_, result.record.local_gp, inside_, changed, silent_);
  if (changed.empty()) changed.push_back(result.record.local_gp);
  if (result.alarms.empty()) result.alarms.swap(spare_);
  result.alarms.resize(1);
  Alarm& alarm = result.alarms.front();
  alarm.sequence = result.sequence;
  alarm.change_point = found_->change_point;
  alarm.output = found_->output;
  alarm.kind = found_->kind;
  alarm.whole_stream = found_->group == Drift::kStream;
  alarm.local_gp = result.record.local_gp;
  alarm.local_gps = std::ssize(changed);
  alarm.rows = found_->rows;
  alarm.size = found_->size;
  alarm.size_in_noise = found_->size / noise_deviation(by, local_scale, found_->output);
  alarm.forgotten = 0;
  find_box(then, changed, by.inputs.mean().size(), alarm);
  return alarm;
}

void Monitor::remember(const Alarm& alarm) {
  ++n_alarms;
  alarms.push_back(alarm);
}

void Monitor::take_back(std::vector<Alarm>& alarms_of_row) {
  if (!alarms_of_row.empty()) spare_.swap(alarms_of_row);
  alarms_of_row.clear();
}

void Monitor::reserve(Index inputs, Index local_gps) {
  const auto count = static_cast<std::size_t>(local_gps);
  changed.reserve(count);
  inside_.reserve(count);
  silent_.reserve(count);
  alarms.reserve(inputs);
  Alarm spare;
  spare.lower.resize(inputs);
  spare.upper.resize(inputs);
  spare_.assign(1, spare);
  drift.reserve(local_gps);
}

std::size_t Monitor::memory_bytes(Index inputs) const {
  const auto box = 2 * static_cast<std::size_t>(inputs) * sizeof(double);
  return calibrators.capacity() * sizeof(ReachCalibrator) + drift.memory_bytes() +
         (experts ? experts->memory_bytes() : 0) + alarms.reserved() * (sizeof(Alarm) + box);
}

}  // namespace splitgp
