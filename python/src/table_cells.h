#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string>
#include <vector>

#include "table/cell.h"

namespace splitgp::python {

/// The columns of a table from Python, each as cells. Texts point into Python's strings, so the
/// object they come from must stay alive.
class TableCells {
 public:
  /// `columns` has, for each name, None (the table lacks the column), an array of float64 (NaN:
  /// missing), a tuple (array of seconds since 1970, zoned) or a list of texts, numbers and None.
  /// Throws InvalidArgument that names column, row and value.
  TableCells(const std::vector<std::string>& names, const nanobind::list& columns);

  std::size_t rows() const { return rows_; }
  /// Of one row. Valid until the next call.
  std::span<const table::Cell> row(std::size_t i);

 private:
  std::vector<std::vector<table::Cell>> columns_;  // empty: missing in every row
  std::vector<table::Cell> row_;
  std::size_t rows_ = 0;
};

}  // namespace splitgp::python
