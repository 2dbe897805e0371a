#include "core/model/update.h"

#include <utility>

#include "core/base/operations.h"
#include "core/model/alarm.h"
#include "core/model/model_training.h"
#include "core/predict/predict.h"

namespace splitgp {

using Eigen::Index;

namespace {

// As a new one, but with the memory it has.
void begin(ModelState& model, const Observation& row, const Route& route, UpdateResult& result) {
  model.monitor.take_back(result.alarms);
  UpdateResult fresh;
  std::swap(fresh.record.leaving, result.record.leaving);
  std::swap(fresh.alarms, result.alarms);
  std::swap(fresh.innovation, result.innovation);
  fresh.record.leaving.clear();
  fresh.sequence = row.sequence;
  fresh.record.routed_to = fresh.record.local_gp = route.owner();
  result = std::move(fresh);
}

// Algorithm 2. `before` is the aggregated prediction, if calibration wants it.
void update(ModelState& model, const Observation& row, const Route& route, const Prediction* before,
            UpdateResult& result) {
  Partition& partition = model.partition;
  Monitor& monitor = model.monitor;
  const Theta& theta = *model.knowledge.theta;
  const Index I = route.owner();  // argmax_i k(x, c_i)
  const Index local_gps = partition.size();
  begin(model, row, route, result);

  const LocalGp::Step step = partition.look_ahead(route, row, monitor.looks_back());
  const bool current = is_current(partition.at(I), theta);
  monitor.look(partition.at(I), step);
  if (monitor.judge(row, yardstick(model), result) == Verdict::learn) {
    // Append (x, y) to local GP I, and move its center.
    partition.append(route, row, step, result);
    // If n_I > m: Split.
    partition.split_if_full(I, row, theta.kernel, model.options, result);
    partition.offer(route, row, result);
    learn_about_stream(model, row, before, current, local_gps);
    if (result.record.new_local_gp) monitor.drift.split(I, *result.record.new_local_gp);
  }
  raise_alarm(model, result);
  pay_debt(model, row, result);
  // Train(θ, 𝒜)
  result.trained = train_if_due(model);
}

}  // namespace

void start(ModelState& model, const Observation& first) {
  model.partition.start(first, model.knowledge.theta, model.options);
  model.monitor.drift.start();
}

void learn_about_stream(ModelState& model, const Observation& row, const Prediction* before,
                        bool current, Index local_gps) {
  model.monitor.learn(row, yardstick(model), before, local_gps);
  // Innovations by an old θ say nothing about the new one.
  if (current) model.knowledge.surprise.observe(model.monitor.looked.innovation);
  if (model.options.max_age > 0.0) model.retention.note_time(row, model.partition);
  model.knowledge.count(row);
}

void update(ModelState& model, const Observation& row, UpdateResult& result) {
  const std::uint64_t began = operations_done;
  if (model.partition.size() == 0) start(model, row);
  if (wants_prediction(model)) {
    fill_with_prior(model, row.x, model.scored);
    const Route route = predict_waking(model, model.partition, row.x, model.scored);
    update(model, row, route, &model.scored, result);
  } else {
    const Kernel& kernel = model.knowledge.theta->kernel;
    const Route route = model.partition.route(row.x, kernel, n_concerned(model));
    update(model, row, route, nullptr, result);
  }
  result.record.operations = operations_done - began;
}

void predict_then_update(ModelState& model, const Observation& row, Prediction& before,
                         UpdateResult& result) {
  if (model.partition.size() == 0) return update(model, row, result);
  const std::uint64_t began = operations_done;
  const Route route = predict_waking(model, model.partition, row.x, before);
  update(model, row, route, wants_prediction(model) ? &before : nullptr, result);
  result.record.operations = operations_done - began;
}

}  // namespace splitgp
