#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/column_look.h"

namespace splitgp::table {

/// In which order the dates of a column are: as the user says, as a value with a number above 12
/// tells or, where none does, so that time runs most evenly; then there is a remark about it.
DateOrder find_date_order(const std::string& name, const std::vector<FirstValue>& values,
                          std::optional<As> wished, std::vector<std::string>& remarks);

/// Whether any date of the column could be read in both orders.
bool has_ambiguous_dates(const std::vector<FirstValue>& values);

}  // namespace splitgp::table
