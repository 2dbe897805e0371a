#pragma once

#include <string>
#include <vector>

#include "table/find_time.h"

namespace splitgp::table {

/// Sets what the first rows show of a time whose columns are found: origin and cycles, and why the
/// columns are what they are, for people. Throws InvalidArgument if no row has a time.
void finish_time(const TimeSearch& search, TimeColumns& time, std::vector<Column>& columns,
                 std::vector<std::string>& remarks);

}  // namespace splitgp::table
