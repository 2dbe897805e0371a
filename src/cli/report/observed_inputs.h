#pragma once

#include <Eigen/Core>

#include "cli/report/partition_slice.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {

/// The observations a model holds, as a report needs them.
struct ObservedInputs {
  Eigen::VectorXd median;     ///< Of each input.
  std::vector<Range> ranges;  ///< They hold nearly all observations and are never empty.
  Eigen::MatrixXd sample;     ///< Inputs of some observations, drawn evenly; d × at most `most`.
  Eigen::MatrixXd outputs;    ///< Their outputs; p × as many.
};

/// O(n·d).  The same model gives the same sample.
ObservedInputs observed_inputs(const SplittingGp& model, Eigen::Index most);

}  // namespace splitgp
