#pragma once

#include <simdjson.h>

#include <Eigen/Core>
#include <optional>
#include <string_view>
#include <vector>

namespace splitgp::serve {

/// Numbers of a request, as they were sent: rows of columns, or a list that may be either.
struct NumberTable {
  std::vector<double> values;
  std::optional<std::size_t> rows;  ///< Unset: a plain list.
  bool given = false;
};

/// [1, 2] is a list; [[1, 2], [3, 4]] are rows of equal length; 5 is a list of one. Throws
/// RequestError.
NumberTable read_number_table(simdjson::dom::element value, std::string_view field);

/// Rows of `columns` numbers, row after row. A list is one row of as many columns, or rows of one
/// column. Throws RequestError that names the field, row and value, also for a value that is not
/// finite or beyond 1e150.
Eigen::MatrixXd to_columns(const NumberTable& table, Eigen::Index columns, std::string_view field);

}  // namespace splitgp::serve
