#include "core/update.h"

#include <iterator>
#include <optional>
#include <utility>

#include "core/model_training.h"
#include "core/predict.h"
#include "core/refit.h"
#include "core/split.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;

namespace {

// The observations that the second child took over.
std::vector<std::uint64_t> owned_sequences(const LocalGp& local) {
  std::vector<std::uint64_t> sequences;
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) sequences.push_back(local.sequence(j));
  }
  return sequences;
}

// Whether calibration compares the aggregated prediction with the owner's at this update. The
// answer depends on the updates alone, so that predictions in between change nothing. With one
// local GP there is nothing to aggregate.
bool corrects_for_aggregation(const ModelState& model) {
  return model.partition.size() > 1 && !model.calibrators.empty() &&
         model.calibrators.front().wants_aggregated();
}

// Whether calibration has to see the aggregated prediction before this update.
bool scores_aggregated(const ModelState& model) {
  if (model.calibrators.empty()) return false;
  return model.options.calibration == Calibration::conformal || corrects_for_aggregation(model);
}

// The squared error of a prediction, in units of its variance before calibration.
double squared_innovation(const ModelState& model, const Observation& observation,
                          const Prediction& before, Index output) {
  const double scale = model.knowledge.theta->values.output_scale(output);
  const double error = (observation.y(output) - before.mean(output, 0)) / scale;
  const double variance = (before.variance(output, 0) + before.noise_variance(output, 0)) /
                          model.calibrators[static_cast<std::size_t>(output)].factor() / scale /
                          scale;
  return error * error / (variance + observation.noise_variance);
}

// The first θ is a placeholder unless it was given: an error measured by it would only tell the
// unit of the outputs. It stays if nothing trains it.
bool knows_units(const ModelState& model) {
  const StreamKnowledge& knowledge = model.knowledge;
  return knowledge.theta->version > 0 || knowledge.theta_given ||
         model.options.training == Training::off;
}

// Learns from the innovation that appending left in the local GP, given its local scales before.
void calibrate(ModelState& model, const Observation& observation, const LocalGp& local,
               const Prediction* before) {
  const bool corrects = corrects_for_aggregation(model);
  for (Index o = 0; o < std::ssize(model.calibrators); ++o) {
    Calibrator& calibrator = model.calibrators[static_cast<std::size_t>(o)];
    const double z = local.innovation(o);
    const double innovation = z * z / model.local_scales(o);
    std::optional<double> aggregated;
    if (before != nullptr) aggregated = squared_innovation(model, observation, *before, o);
    if (model.options.calibration == Calibration::conformal)
      calibrator.add_conformal(aggregated.value_or(innovation));
    calibrator.add(innovation, corrects ? aggregated : std::nullopt);
  }
}

// The rest of Algorithm 2, once I is known. `before` is the aggregated prediction, if calibration
// wants it.
UpdateResult update_routed(ModelState& model, const Observation& observation, Index I,
                           const Prediction* before = nullptr) {
  Partition& partition = model.partition;
  StreamKnowledge& knowledge = model.knowledge;
  const Kernel& kernel = knowledge.theta->kernel;
  UpdateResult result;
  result.sequence = observation.sequence;
  result.routed_to = I;
  result.local_gp = I;

  LocalGp& local = partition.at(I);
  local.prefetch();
  if (!is_current(local, *knowledge.theta)) {
    local.refit(knowledge.theta);
    ++result.refits;
  }
  wake(partition, I);

  for (Index o = 0; o < std::ssize(model.calibrators); ++o)
    model.local_scales(o) = local.local_scale(o);
  // Append (x, y) to local GP I and move its center; an inherited point makes room.
  result.jitter = local.append(observation, model.workspace);
  if (knows_units(model)) calibrate(model, observation, local, before);
  if (local.size() > Index{model.options.split_limit} + 1) {
    result.displaced = local.displace();
  }

  // If n_I > m: Split.
  if (local.owned() > model.options.split_limit) {
    LocalGp second = split(local);
    const Index new_local_gp = partition.size();
    partition.split_history.push_back(
        {observation.sequence, I, new_local_gp, local.owned(), second.owned()});
    partition.centers.set(new_local_gp, second.center(), kernel);
    partition.centers.set(I, local.center(), kernel);
    result.new_local_gp = new_local_gp;
    result.leaving = owned_sequences(second);
    if (result.leaving.back() == observation.sequence) result.local_gp = new_local_gp;
    partition.local_gps.push_back(std::move(second));
    keep_awake(partition, new_local_gp);
  } else {
    partition.centers.set(I, local.center(), kernel);
  }

  let_sleep(partition);

  // A new θ reaches every local GP in time, with at most one refit per update.
  if (result.refits == 0 && refit_next(partition, knowledge.theta)) ++result.refits;

  ++knowledge.observations;
  knowledge.input_statistics.add(observation.x);
  knowledge.output_statistics.add(observation.y);
  result.trained = train_if_due(model);
  return result;
}

}  // namespace

UpdateResult update(ModelState& model, const Observation& observation) {
  Partition& partition = model.partition;
  const Kernel& kernel = model.knowledge.theta->kernel;
  // If C = 0: the first observation makes the first local GP.
  if (partition.local_gps.empty()) {
    partition.local_gps.emplace_back(model.inputs, model.outputs, model.knowledge.theta,
                                     model.options);
    partition.centers.set(0, observation.x, kernel);
    keep_awake(partition, 0);
  }
  // I ← argmax_i k(x, c_i)
  if (scores_aggregated(model)) {
    fill_with_prior(model, 1, model.scored);
    const Index I = predict_waking(model, observation.x, model.scored);
    return update_routed(model, observation, I, &model.scored);
  }
  return update_routed(model, observation, partition.centers.most_similar(kernel, observation.x));
}

UpdateResult predict_then_update(ModelState& model, const Observation& observation,
                                 Prediction& before) {
  if (model.partition.local_gps.empty()) return update(model, observation);
  // The local GP that Predict asks first is the one that Update routes to.
  const Index I = predict_waking(model, observation.x, before);
  return update_routed(model, observation, I, scores_aggregated(model) ? &before : nullptr);
}

}  // namespace splitgp
