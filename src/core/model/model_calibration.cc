#include "core/model/model_calibration.h"

#include <iterator>
#include <optional>

namespace splitgp {

using Eigen::Index;

namespace {

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

// Whether the aggregated prediction is compared with the owner's at this update. With one local GP
// there is nothing to aggregate.
bool corrects_for_aggregation(const ModelState& model, Index local_gps, std::uint64_t ahead = 0) {
  return local_gps > 1 && !model.calibrators.empty() &&
         model.calibrators.front().wants_aggregated(knows_units(model) ? ahead : 0);
}

}  // namespace

bool knows_units(const ModelState& model) {
  const StreamKnowledge& knowledge = model.knowledge;
  return knowledge.theta->version > 0 || knowledge.theta_given ||
         model.options.training == Training::off;
}

bool scores_aggregated(const ModelState& model, std::uint64_t ahead) {
  if (model.calibrators.empty()) return false;
  return model.options.calibration == Calibration::conformal ||
         corrects_for_aggregation(model, model.partition.size(), ahead);
}

void note_local_scales(ModelState& model, const LocalGp& local) {
  for (Index o = 0; o < std::ssize(model.calibrators); ++o) {
    model.local_scales(o) = local.local_scale(o);
  }
}

void calibrate(ModelState& model, const Observation& observation, const Surprise::Innovation& found,
               const Prediction* before, Index local_gps) {
  if (!knows_units(model)) return;
  const bool corrects = corrects_for_aggregation(model, local_gps);
  for (Index o = 0; o < std::ssize(model.calibrators); ++o) {
    Calibrator& calibrator = model.calibrators[static_cast<std::size_t>(o)];
    const double z = found(o);
    const double innovation = z * z / model.local_scales(o);
    std::optional<double> aggregated;
    if (before != nullptr) aggregated = squared_innovation(model, observation, *before, o);
    if (model.options.calibration == Calibration::conformal) {
      calibrator.add_conformal(aggregated.value_or(innovation));
    }
    calibrator.add(innovation, corrects ? aggregated : std::nullopt);
  }
}

}  // namespace splitgp
