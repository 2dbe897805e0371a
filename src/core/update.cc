#include "core/update.h"

#include <utility>

#include "core/model_training.h"
#include "core/split.h"
#include "core/waking.h"

namespace splitgp {

using Eigen::Index;

UpdateResult update(ModelState& model, const Observation& observation) {
  UpdateResult result;
  result.sequence = observation.sequence;

  // If C = 0: the first observation makes the first local GP.
  if (model.local_gps.empty()) {
    model.local_gps.emplace_back(model.inputs, model.outputs, model.theta, model.options);
    model.centers.set(0, observation.x, model.theta->kernel);
    keep_awake(model, 0);
  }

  // I ← argmax_i k(x, c_i)
  const Index I = model.centers.most_similar(model.theta->kernel, observation.x);
  LocalGp& local = model.local_gps[static_cast<std::size_t>(I)];
  result.local_gp = I;
  local.prefetch();
  if (!is_current(model, local)) {
    local.refit(model.theta);
    ++result.refits;
  }
  wake(model, I);

  // Append (x, y) to local GP I and move its center; an inherited point makes room.
  result.jitter = local.append(observation, model.workspace);
  if (local.size() > Index{model.options.split_limit} + 1) {
    result.displaced = local.displace();
  }

  // If n_I > m: Split.
  if (local.owned() > model.options.split_limit) {
    LocalGp second = split(local);
    const Index new_local_gp = std::ssize(model.local_gps);
    model.split_history.push_back(
        {observation.sequence, I, new_local_gp, local.owned(), second.owned()});
    model.centers.set(new_local_gp, second.center(), model.theta->kernel);
    model.centers.set(I, local.center(), model.theta->kernel);
    // The newest observation is the last row of the child that kept it.
    const Index last = second.size() - 1;
    if (second.sequence(last) == observation.sequence && second.owns(last))
      result.local_gp = new_local_gp;
    model.local_gps.push_back(std::move(second));
    keep_awake(model, new_local_gp);
    result.new_local_gp = new_local_gp;
  } else {
    model.centers.set(I, local.center(), model.theta->kernel);
  }

  let_sleep(model);

  // A new θ reaches everyone in time, at most one refit with each update.
  if (result.refits == 0 && refit_next(model)) ++result.refits;

  ++model.next_sequence;
  model.input_statistics.add(observation.x);
  model.output_statistics.add(observation.y);
  result.trained = train_if_due(model);
  return result;
}

}  // namespace splitgp
