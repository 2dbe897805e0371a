#pragma once

#include <Eigen/Core>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "table/recipe.h"

namespace splitgp {

/// The relevance of each input: spread / length_scale, scaled so that they sum to 1. An input that
/// never changes has 0.
Eigen::VectorXd relevance(const SplittingGp& model);

/// The same for the columns of the table: of the inputs that one column became, the root of the sum
/// of squares, as in the kernel's distance.
Eigen::VectorXd relevance(const SplittingGp& model, const std::vector<table::Feature>& columns);

}  // namespace splitgp
