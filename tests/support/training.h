#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "core/train/training_set.h"
#include "support/random_matrix.h"

namespace splitgp::testing {

/// Two blocks of a smooth function of the first two inputs, with noise; inputs in very different
/// units.
inline TrainingSet small_training_set(Eigen::Index inputs, Eigen::Index outputs,
                                      std::uint64_t seed) {
  Random random(seed);
  TrainingSet set;
  std::uint64_t sequence = 0;
  for (const Eigen::Index n : {23, 17}) {
    TrainingSet::Block block;
    block.inputs = random.normal_matrix(n, inputs);
    block.outputs.resize(n, outputs);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index o = 0; o < outputs; ++o) {
        const double phase = block.inputs(i, 0) + 0.5 * block.inputs(i, 1) + static_cast<double>(o);
        block.outputs(i, o) = 5.0 + 2.0 * std::sin(phase) + 0.2 * random.normal();
      }
    }
    block.inputs.col(0).array() = 1013.0 + 6.0 * block.inputs.col(0).array();
    block.noise_variance = 0.01 * random.uniform_matrix(n, 1);
    for (Eigen::Index j = 0; j < block.inputs.rows(); ++j) block.sequence.push_back(sequence++);
    set.blocks.push_back(block);
    set.observations += n;
  }
  set.sequence = static_cast<std::uint64_t>(set.observations);
  set.input_mean = Eigen::VectorXd::Zero(inputs);
  set.input_mean(0) = 1013.0;
  set.input_spread = Eigen::VectorXd::Ones(inputs);
  set.input_spread(0) = 6.0;
  set.output_mean = Eigen::VectorXd::Constant(outputs, 5.0);
  set.output_spread = Eigen::VectorXd::Constant(outputs, 1.5);
  set.length_scale_groups = LengthScaleGroups(inputs);
  set.constant_input.assign(static_cast<std::size_t>(inputs), false);
  return set;
}

}  // namespace splitgp::testing
