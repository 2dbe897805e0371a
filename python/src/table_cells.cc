#include "table_cells.h"

#include <nanobind/stl/string.h>

#include "arrays.h"
#include "splitgp/error.h"

namespace splitgp::python {
namespace {

using table::Cell;

std::string described(const std::string& column, std::size_t row, nb::handle value) {
  return "column \"" + column + "\" of row " + std::to_string(row) + " is " +
         nb::cast<std::string>(nb::repr(value)).substr(0, 80);
}

Cell cell_of(const std::string& column, std::size_t row, nb::handle value) {
  if (value.is_none()) return {};
  if (PyUnicode_Check(value.ptr())) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (text == nullptr) {
      PyErr_Clear();
      throw InvalidArgument(described(column, row, value) + ", which is no valid Unicode");
    }
    return Cell::of(std::string_view(text, static_cast<std::size_t>(size)));
  }
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InvalidArgument(described(column, row, value) +
                          "; it must be a text, a number, a datetime or None");
  }
  return Cell::of(number);
}

std::vector<Cell> numbers(const Values& values) {
  std::vector<Cell> cells(values.shape(0));
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = Cell::of(values.data()[i]);
  return cells;
}

std::vector<Cell> times(const Values& seconds, bool zoned) {
  std::vector<Cell> cells(seconds.shape(0));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double value = seconds.data()[i];
    if (value == value) cells[i] = Cell::of_time(value, zoned);  // NaN: missing
  }
  return cells;
}

}  // namespace

TableCells::TableCells(const std::vector<std::string>& names, const nb::list& columns)
    : row_(names.size()) {
  bool first = true;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const nb::handle column = columns[k];
    std::vector<Cell>& cells = columns_.emplace_back();
    if (column.is_none()) continue;
    if (nb::isinstance<nb::list>(column)) {
      const nb::list values = nb::cast<nb::list>(column);
      cells.reserve(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        cells.push_back(cell_of(names[k], i, values[i]));
    } else if (nb::isinstance<nb::tuple>(column)) {
      const nb::tuple parts = nb::cast<nb::tuple>(column);
      cells = times(nb::cast<Values>(parts[0]), nb::cast<bool>(parts[1]));
    } else {
      cells = numbers(nb::cast<Values>(column));
    }
    if (!first && cells.size() != rows_) {
      throw InvalidArgument("column \"" + names[k] + "\" has " + std::to_string(cells.size()) +
                            " rows, the others have " + std::to_string(rows_));
    }
    rows_ = cells.size();
    first = false;
  }
}

std::span<const Cell> TableCells::row(std::size_t i) {
  for (std::size_t k = 0; k < columns_.size(); ++k)
    row_[k] = columns_[k].empty() ? Cell{} : columns_[k][i];
  return row_;
}

}  // namespace splitgp::python
