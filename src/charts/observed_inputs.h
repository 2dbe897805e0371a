#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "charts/partition_slice.h"
#include "splitgp/splitting_gp.h"

namespace splitgp {

/// The observations a model holds, as a report needs them.
struct ObservedInputs {
  Eigen::VectorXd median;     ///< Of each input.
  std::vector<Range> ranges;  ///< They hold nearly all observations and are never empty.
  Eigen::MatrixXd sample;     ///< Inputs of some observations, drawn evenly; d × at most `most`.
  Eigen::MatrixXd outputs;    ///< Their outputs; p × as many.
  std::vector<std::uint64_t> sequence;  ///< Their numbers, if they came from a model.
};

/// O(n·d).  The same model gives the same sample.
ObservedInputs observed_inputs(const SplittingGp& model, Eigen::Index most);

/// The same for some rows that are at hand, all of which become the sample: columns of X and Y.
ObservedInputs observed_rows(const Eigen::MatrixXd& X, const Eigen::MatrixXd& Y,
                             const Eigen::VectorXd& length_scale);

}  // namespace splitgp
