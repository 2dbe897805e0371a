#pragma once

#include <Eigen/Core>
#include <vector>

#include "splitgp/results.h"

namespace splitgp::table {

/// The first column of a prediction as numbers, to be kept until its target arrives.
std::vector<double> pack_answer(const Prediction& prediction, bool interval_known);

/// The prediction again; returns interval_known. Throws FileError if the numbers are not from
/// pack_answer().
bool unpack_answer(const std::vector<double>& answer, Eigen::Index outputs, Prediction& prediction);

}  // namespace splitgp::table
