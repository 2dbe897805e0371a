#include "serve/protocol/number_table.h"

#include <fmt/format.h>

#include <cmath>

#include "serve/protocol/json_value.h"
#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

namespace dom = simdjson::dom;

constexpr double kLargest = 1e150;

}  // namespace

NumberTable read_number_table(dom::element value, std::string_view field) {
  NumberTable table;
  table.given = true;
  dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    table.values.push_back(read_number(value, field, 0));
    return table;
  }
  std::size_t row = 0, width = 0;
  bool nested = false;
  for (const dom::element item : list) {
    dom::array inner;
    const bool is_row = item.get(inner) == simdjson::SUCCESS;
    if (row == 0) nested = is_row;
    if (is_row != nested) refuse_json("rows of numbers, or numbers", field, item);
    if (!nested) {
      table.values.push_back(read_number(item, field, row++));
      continue;
    }
    std::size_t count = 0;
    for (const dom::element number : inner) {
      table.values.push_back(read_number(number, field, row));
      ++count;
    }
    if (row == 0) width = count;
    if (count != width) {
      throw RequestError(
          422, fmt::format("{}: row {} has {} values; the first has {}", field, row, count, width))
          .field(std::string(field))
          .row(row);
    }
    ++row;
  }
  if (nested) table.rows = row;
  return table;
}

Eigen::MatrixXd to_columns(const NumberTable& table, Eigen::Index columns, std::string_view field) {
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t size = table.values.size();
  std::size_t rows = 0;
  if (table.rows) {
    rows = *table.rows;
  } else if (size == width) {
    rows = 1;
  } else if (width == 1) {
    rows = size;
  }
  if (rows == 0 || rows * width != size) {
    throw RequestError(
        422, fmt::format("{}: {} values{}; each row needs {}", field, size,
                         table.rows ? fmt::format(" in {} rows", *table.rows) : "", width))
        .field(std::string(field));
  }
  Eigen::MatrixXd result(columns, static_cast<Eigen::Index>(rows));
  for (std::size_t i = 0; i < size; ++i) {
    const double value = table.values[i];
    if (!(std::abs(value) <= kLargest)) {
      throw RequestError(422, fmt::format("{}: row {}, column {}: {} is not a finite number of at "
                                          "most 1e150",
                                          field, i / width, i % width, value))
          .field(std::string(field))
          .row(i / width)
          .value(fmt::format("{}", value));
    }
    result.data()[i] = value;
  }
  return result;
}

}  // namespace splitgp::serve
