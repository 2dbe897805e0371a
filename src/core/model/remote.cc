#include "core/model/remote.h"

#include "core/partition/waking.h"

namespace splitgp {

using Eigen::Index;

// The calls and their order are those of update_routed (core/model/update.cc).
void learn(ModelState& model, Index local_gp, const Observation& observation,
           const ThetaPointer& refit_to, Learned& learned) {
  LocalGp& local = model.partition.at(local_gp);
  if (refit_to) local.refit(refit_to);
  wake(model.partition, local_gp);
  const auto local_scales = [&](Eigen::VectorXd& scales) {
    scales.setOnes(model.outputs);
    for (Index o = 0; o < std::ssize(model.calibrators); ++o) scales(o) = local.local_scale(o);
  };
  local_scales(learned.scales);
  const LocalGp::Step step = local.look_ahead(observation, model.workspace);
  learned.innovation = local.looked_ahead();
  learned.deviation = step.deviation;
  learned.jitter = step.jitter;
  local.append(observation, step, model.workspace);
  learned.displaced = local.make_room(model.workspace);
  local_scales(learned.scales_after);
}

LocalGp divide(ModelState& model, Index local_gp, const std::vector<bool>& leaves) {
  return model.partition.at(local_gp).divide(leaves);
}

bool borrow(ModelState& model, Index local_gp, const Observation& observation,
            std::optional<std::uint64_t>& displaced) {
  return model.partition.at(local_gp).borrow(observation, model.workspace, displaced);
}

void refit(ModelState& model, Index local_gp, const ThetaPointer& theta) {
  model.partition.at(local_gp).refit(theta);
}

void answer(const ModelState& model, const Eigen::Ref<const Eigen::MatrixXd>& X,
            Predictor& predictor) {
  predictor.reserve(model, std::ssize(predictor.questions));
  predictor.answer(model, X);
}

}  // namespace splitgp
