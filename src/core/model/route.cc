#include "core/model/route.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/model/alarm.h"
#include "core/model/model_training.h"
#include "core/model/update.h"
#include "core/predict/predict.h"

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
void average(const ModelState& model, const Observation& row, const Routed& routed,
             const Found& found, Prediction& result) {
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
  if (!model.monitor.calibrators.empty())
    predictor.local_scales.leftCols(predictor.asked) = found.local_scales;
  predictor.weigh(model, 0);
  predictor.combine(model, row.x, 0, 1.0, result, 0);
}

}  // namespace

bool may_route(const ModelState& model, std::uint64_t ahead) {
  return ahead == 0 || ahead < rows_before_training(model);
}

void route(ModelState& model, const Observation& row, std::uint64_t ahead, bool predict,
           Routed& routed) {
  static thread_local Predictor predictor;
  Partition& partition = model.partition;
  const bool predictable = partition.size() > 0;
  if (!predictable) {
    start(model, row);
    partition.at(0) = partition.at(0).outline();
  }
  routed.scored = wants_prediction(model, ahead);
  routed.local_gps = partition.size();
  const Theta& theta = *model.knowledge.theta;
  const auto concerned = static_cast<std::size_t>(n_concerned(model));
  Route route;
  if (routed.scored || (predict && predictable)) {
    ask_before(model, row.x, predictor, routed);
    route.similar = predictor.neighbors;
    route.similar = route.similar.first(std::min(concerned, route.similar.size()));
  } else {
    route = partition.route(row.x, theta.kernel, n_concerned(model));
  }
  const Index I = route.owner();
  UpdateResult& result = routed.result;
  result.sequence = row.sequence;
  result.record.routed_to = result.record.local_gp = I;
  routed.owner_theta = partition.at(I).theta_pointer();
  for (const Neighbor& neighbor : route.similar.subspan(1))
    routed.offered.push_back(neighbor.local_gp);

  partition.append(route, row, {}, result);
  routed.leaves = partition.split_if_full(I, row, theta.kernel, model.options, result);
  pay_debt(model, row, result);
}

void account(ModelState& model, const Observation& row, Routed& routed, const Found& found,
             Prediction* before) {
  UpdateResult& result = routed.result;
  Prediction& average_before = before != nullptr ? *before : model.scored;
  if (before != nullptr || routed.scored) fill_with_prior(model, row.x, average_before);
  if (!routed.asked.empty()) average(model, row, routed, found, average_before);

  LookedAhead& looked = model.monitor.looked;
  looked.innovation = found.innovation;
  looked.deviation = found.deviation;
  looked.output_scale = routed.owner_theta->values.output_scale;
  looked.local_scales = found.owner_scales;
  looked.back = found.back;
  model.monitor.judge(row, yardstick(model), result);
  learn_about_stream(model, row, routed.scored ? &average_before : nullptr,
                     routed.owner_theta->version == model.knowledge.theta->version,
                     routed.local_gps);
  if (result.record.new_local_gp)
    model.monitor.drift.split(result.record.routed_to, *result.record.new_local_gp);
  if (!model.monitor.found()) return;
  const Index local_gps = routed.local_gps + (result.record.new_local_gp ? 1 : 0);
  raise_alarm(model, PartitionThen(model.partition, result.sequence, local_gps, model.options),
              found.owner_scales_after(model.monitor.found()->output), result);
}

}  // namespace splitgp
