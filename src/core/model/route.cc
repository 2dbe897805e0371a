#include "core/model/route.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/model/model_calibration.h"
#include "core/model/model_drift.h"
#include "core/model/model_training.h"
#include "core/model/predict.h"
#include "core/model/update_steps.h"
#include "core/partition/holding.h"
#include "core/partition/refit.h"

namespace splitgp {

using Eigen::Index;

namespace {

// Whom Algorithm 3 would ask about x now; their θ may be another when they have answered.
void ask_before(const ModelState& model, const Eigen::Ref<const Eigen::VectorXd>& x,
                Predictor& predictor, Routed& routed) {
  predictor.ask(model, x);
  routed.asked = predictor.local_gps;
  routed.candidates = predictor.candidates;
  routed.outsider = predictor.outsiders.front();
  routed.thetas.clear();
  for (const Index local_gp : routed.asked)
    routed.thetas.push_back(model.partition.at(local_gp).theta_pointer());
}

// Algorithm 3's weighted average of what those who were asked have answered.
void average(const ModelState& model, const Routed& routed, const Found& found,
             Prediction& result) {
  static thread_local Predictor predictor;
  predictor.asked = std::ssize(routed.asked);
  predictor.local_gps = routed.asked;
  predictor.outsiders.assign(1, routed.outsider);
  predictor.reserve(model, predictor.asked);
  predictor.thetas.clear();
  for (std::size_t i = 0; i < routed.asked.size(); ++i) {
    predictor.thetas.push_back(routed.thetas[i].get());
    predictor.candidates[i] = routed.candidates[i];
    predictor.candidates[i].posterior = found.posteriors[i];
  }
  predictor.means.leftCols(predictor.asked) = found.means;
  if (!model.calibrators.empty())
    predictor.local_scales.leftCols(predictor.asked) = found.local_scales;
  predictor.weigh(model, 0);
  predictor.combine(model, 0, result, 0);
}

}  // namespace

bool may_route(const ModelState& model, std::uint64_t ahead) {
  return ahead == 0 || ahead < rows_before_training(model);
}

void route(ModelState& model, const Observation& observation, std::uint64_t ahead, bool predict,
           Routed& routed) {
  static thread_local Predictor predictor;
  Partition& partition = model.partition;
  const bool predictable = !partition.local_gps.empty();
  start_if_empty(model, observation);
  if (!predictable) partition.at(0) = partition.at(0).outline();

  // I ← argmax_i k(x, c_i)
  routed.scored = scores_aggregated(model, ahead);
  routed.local_gps = partition.size();
  if (routed.scored || (predict && predictable)) {
    ask_before(model, observation.x, predictor, routed);
  } else {
    partition.centers.most_similar(model.knowledge.theta->kernel, observation.x,
                                   1 + n_offered(model), predictor.neighbors);
  }
  const std::span<const Neighbor> similar = predictor.neighbors;
  const Index I = similar.front().local_gp;
  UpdateResult& result = routed.result;
  result.sequence = observation.sequence;
  result.routed_to = I;
  result.local_gp = I;

  LocalGp& local = partition.at(I);
  routed.refit_owner = !is_current(local, *model.knowledge.theta);
  if (routed.refit_owner) {
    local.refit(model.knowledge.theta);
    ++result.refits;
  }
  local.take_note(observation);
  ++partition.held;
  gained(partition, I, observation.sequence);

  // If n_I > m: Split.
  routed.leaves = split_if_full(model, I, observation, result);
  partition.centers.follow(model.knowledge.theta->kernel);

  const auto offered = static_cast<std::size_t>(n_offered(model));
  for (const Neighbor& neighbor : similar.subspan(1, std::min(offered, similar.size() - 1)))
    routed.offered.push_back(neighbor.local_gp);

  if (result.refits == 0) {
    routed.refitted = refit_one_behind(model, observation);
    if (routed.refitted >= 0) ++result.refits;
  }
}

void account(ModelState& model, const Observation& observation, Routed& routed, const Found& found,
             Prediction* before) {
  StreamKnowledge& knowledge = model.knowledge;
  UpdateResult& result = routed.result;
  Prediction& average_before = before != nullptr ? *before : model.scored;
  if (before != nullptr || routed.scored) fill_with_prior(model, observation.x, average_before);
  if (!routed.asked.empty()) average(model, routed, found, average_before);

  // What update_routed (core/model/update.cc) does when the owner has looked ahead, and after it.
  model.local_scales = found.owner_scales;
  const LookedAhead looked{found.innovation, found.deviation, knowledge.theta->values};
  note_innovation(model, observation, looked, result);
  const std::optional<Drift::Found> drift = watch(model, observation, result);
  calibrate(model, observation, looked.innovation, routed.scored ? &average_before : nullptr,
            routed.local_gps);
  knowledge.surprise.observe(looked.innovation);
  if (result.new_local_gp) model.drift.split(result.routed_to, *result.new_local_gp);
  count(knowledge, observation);
  if (!drift) return;
  const Index local_gps = routed.local_gps + (result.new_local_gp ? 1 : 0);
  raise_alarm(model, *drift,
              PartitionThen(model.partition, result.sequence, local_gps, model.options),
              found.owner_scales_after(drift->output), result);
}

void ask(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
         Predictor& predictor) {
  predictor.ask(model, X);
}

void combine(const ModelState& model, Predictor& predictor, Prediction& result) {
  for (Index query = 0; query < std::ssize(predictor.outsiders); ++query) {
    predictor.weigh(model, query);
    predictor.combine(model, query, result, query);
  }
}

}  // namespace splitgp
