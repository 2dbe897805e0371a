#pragma once

#include <Eigen/Core>

#include "core/train/training_set.h"
#include "splitgp/hyperparameters.h"

namespace splitgp {

/// The Fisher information of θ in a few observations of a block, per observation and output: the
/// curvature that −log p(Y | X, θ) is expected to have, in the order of ThetaOrder. It says how far
/// to step in every direction before any step was made. Empty if the kernel matrix is not positive
/// definite. O(points³·groups)
Eigen::MatrixXd fisher_information(const TrainingSet::Block& block, const Hyperparameters& theta,
                                   const LengthScaleGroups& groups, Eigen::Index points);

}  // namespace splitgp
