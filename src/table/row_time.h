#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "table/cell.h"
#include "table/recipe.h"

namespace splitgp::table {

/// Why a row names no point in time, and which column is to blame.
struct TimeProblem {
  std::size_t column = 0;
  std::string reason;
};

/// Reads the point in time that a row names: seconds since 1970-01-01, or since midnight if it has
/// no date. `cell_of` has the place of each column among the cells.  REQUIRES: none of the time's
/// cells is a gap.
std::optional<TimeProblem> read_time(const TimeColumns& time, const std::vector<Column>& columns,
                                     Cells cells, const std::vector<std::size_t>& cell_of,
                                     char decimal_mark, double& seconds);

/// Writes the inputs that a time becomes: hours since the origin, and two for each cycle.
void set_time(const TimeColumns& time, double seconds, double* to);

}  // namespace splitgp::table
