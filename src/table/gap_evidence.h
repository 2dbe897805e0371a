#pragma once

#include <vector>

namespace splitgp::table {

/// Whether the gaps of a column say something of a target by themselves: one row ahead, the mean
/// of earlier rows that are like this one, with a gap or without, errs less than that of all.
/// `gap` and `target` have a value for each of the first rows; a target may be NaN.
bool gaps_tell(const std::vector<bool>& gap, const std::vector<double>& target);

}  // namespace splitgp::table
