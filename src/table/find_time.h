#pragma once

#include <optional>
#include <string>
#include <vector>

#include "table/column_look.h"
#include "table/recipe.h"

namespace splitgp::table {

/// What the search for times has to work with: one entry for each column of the table.
struct TimeSearch {
  const std::vector<std::string>& names;
  const std::vector<std::vector<FirstValue>>& values;
  const std::vector<ColumnLook>& looks;
  const std::vector<bool>&
      allowed;  ///< Neither a target nor left out, nor said to be another kind.
  const Wishes& wishes;
  const GapRule& gaps;

  /// What the user says that the column is.
  std::optional<As> wish(std::size_t c) const {
    const auto found = wishes.as.find(names[c]);
    return found == wishes.as.end() ? std::nullopt : std::optional(found->second);
  }
};

/// Sets use, part and why of the columns that are times, and returns the times. Throws
/// InvalidArgument if stamps contradict each other.
std::vector<TimeColumns> find_times(const TimeSearch& search, std::vector<Column>& columns,
                                    std::vector<std::string>& remarks);

}  // namespace splitgp::table
