#pragma once

#include <string>
#include <vector>

#include "io/row_reader.h"

namespace splitgp {

/// A row that was looked at before the stream began, and is still to be delivered.
struct LookedRow {
  RowReader::Next outcome = RowReader::Next::row;
  Row row;  ///< With the texts of FirstRows::columns.
  RejectedRow rejected;
  std::size_t front = 0;  ///< The size of RowReader::front() after it.
};

/// The first rows of an input.
struct FirstRows {
  std::vector<std::string> columns;  ///< Those that the header has once.
  std::vector<LookedRow> rows;
  bool complete = false;  ///< There are no more.
};

}  // namespace splitgp
