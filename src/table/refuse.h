#pragma once

#include <string>

#include "table/recipe.h"

namespace splitgp::table {

/// Rejects the row because of the value of a column; returns false.
bool refuse(Applied& row, const std::string& column, const std::string& reason);

/// A value for such a reason, " (NA)"; empty if there is nothing to show.
std::string shown_cell(const Cell& cell);

/// As a level of a category: 3, not 3.000000.
std::string plain_number(double number);

}  // namespace splitgp::table
