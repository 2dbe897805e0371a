#pragma once

#include <string>
#include <string_view>

#include "serve/model.h"

namespace splitgp::serve {

enum class TableFormat { json, ndjson, csv };

struct TableLimits {
  std::size_t rows = 100'000;
  std::size_t cells = 2'000'000;
  std::size_t columns = 4096;
};

/// The rows of a request with a table: a JSON object, a list of them or {"rows": […]}; one JSON
/// object a line; or CSV with a header. A pure function of its arguments: throws RequestError.
TableText parse_table(std::string_view body, TableFormat format, const TableLimits& limits);

/// How the columns of a request become the cells of a recipe.
class CellMap {
 public:
  /// Throws RequestError that names a column which is not there. Targets need not be.
  CellMap(const table::Recipe& recipe, const std::vector<std::string>& columns);
  /// Valid as long as `row`.
  table::Cells cells(const std::vector<std::string>& row);

 private:
  std::vector<std::size_t> places_;
  std::vector<table::Cell> cells_;
};

}  // namespace splitgp::serve
