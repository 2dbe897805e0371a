#include "core/model/remote.h"

namespace splitgp {

using Eigen::Index;

void learn(ModelState& model, Index local_gp, const Observation& observation, Learned& learned) {
  Partition& partition = model.partition;
  LocalGp& local = partition.at(local_gp);
  const Neighbor owner[] = {{local_gp, 0.0}};
  const Route route{owner, {}};
  const auto local_scales = [&](Eigen::VectorXd& scales) {
    scales.setOnes(model.outputs);
    for (Index o = 0; o < std::ssize(model.monitor.calibrators); ++o)
      scales(o) = local.local_scale(o);
  };
  UpdateResult result;
  const bool calibrates = !model.monitor.calibrators.empty();
  if (calibrates) learned.back = LookedBack(model.outputs);
  const LocalGp::Step step =
      partition.look_ahead(route, observation, calibrates ? &learned.back : nullptr);
  local_scales(learned.scales);
  learned.innovation = local.looked_ahead();
  learned.deviation = step.deviation;
  partition.append(route, observation, step, result);
  learned.jitter = result.record.jitter;
  learned.displaced = result.record.displaced;
  local_scales(learned.scales_after);
}

LocalGp divide(ModelState& model, Index local_gp, const std::vector<bool>& leaves) {
  return model.partition.at(local_gp).divide(leaves);
}

bool borrow(ModelState& model, Index local_gp, const Observation& observation,
            std::optional<std::uint64_t>& displaced) {
  return model.partition.at(local_gp).borrow(observation, model.partition.workspace, displaced);
}

void refit(ModelState& model, Index local_gp, const ThetaPointer& theta) {
  model.partition.at(local_gp).refit(theta);
}

}  // namespace splitgp
