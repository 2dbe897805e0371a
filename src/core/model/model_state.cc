#include "core/model/model_state.h"

namespace splitgp {

ModelState::ModelState(Eigen::Index n_inputs, Eigen::Index n_outputs, Options checked)
    : options(std::move(checked)),
      inputs(n_inputs),
      outputs(n_outputs),
      knowledge(groups_of(options, n_inputs), n_outputs,
                starting_theta(options, n_inputs, n_outputs), options.hyperparameters.has_value()),
      partition(n_inputs),
      monitor(options, n_inputs, n_outputs),
      budget(options) {
  if (forgets(options)) partition.holders.start();
}

}  // namespace splitgp
