#include "serve/protocol/table_text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>

#include "io/csv_reader.h"
#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kTableDepth = 8;
constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

// The body of a request as the readers of files know it.
class BodySource : public ByteSource {
 public:
  explicit BodySource(std::string_view body) : rest_(body) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min(most, rest_.size());
    std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

void check_size(const TableText& table, const TableLimits& limits) {
  if (table.rows.size() > limits.rows) {
    throw RequestError(413, fmt::format("more than {} rows in one request", limits.rows));
  }
  if (table.columns.size() > limits.columns) {
    throw RequestError(413, fmt::format("more than {} columns", limits.columns));
  }
  if (table.rows.size() * table.columns.size() > limits.cells) {
    throw RequestError(413, fmt::format("more than {} cells in one request", limits.cells));
  }
}

// Rows from JSON objects: columns in the order in which keys first come.
class Objects {
 public:
  Objects(TableText& table, const TableLimits& limits) : table_(table), limits_(limits) {}

  void add(dom::element item) {
    const std::size_t row = table_.rows.size();
    dom::object object;
    if (item.get(object) != simdjson::SUCCESS) {
      throw RequestError(400, fmt::format("row {} is not a JSON object", row)).row(row);
    }
    table_.rows.emplace_back(table_.columns.size());
    for (const auto [key, value] : object) {
      std::vector<std::string>& cells = table_.rows.back();
      const auto [place, is_new] = places_.emplace(std::string(key), table_.columns.size());
      if (is_new) table_.columns.emplace_back(key);
      if (cells.size() <= place->second) cells.resize(place->second + 1);
      cells[place->second] = text_of(value, key, row);
    }
    check_size(table_, limits_);
  }
  void finish() {
    for (std::vector<std::string>& row : table_.rows) row.resize(table_.columns.size());
    check_size(table_, limits_);
  }

 private:
  static std::string text_of(dom::element value, std::string_view key, std::size_t row) {
    std::string_view text;
    switch (value.type()) {
      case dom::element_type::STRING:
        if (value.get(text) == simdjson::SUCCESS) return std::string(text);
        return "";
      case dom::element_type::NULL_VALUE:
        return "";
      case dom::element_type::ARRAY:
      case dom::element_type::OBJECT:
        throw RequestError(422, fmt::format("row {}: {} is not one value", row, key))
            .field(std::string(key))
            .row(row);
      default:
        return simdjson::minify(value);  // numbers, true, false
    }
  }

  TableText& table_;
  const TableLimits& limits_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

dom::element parse(dom::parser& parser, std::string_view text) {
  if (parser.max_depth() != kTableDepth || parser.capacity() < text.size()) {
    if (parser.allocate(std::max<std::size_t>(text.size(), 1024), kTableDepth) !=
        simdjson::SUCCESS) {
      throw RequestError(413, "the request is too large");
    }
  }
  dom::element element;
  const auto error = parser.parse(text.data(), text.size()).get(element);
  if (error == simdjson::DEPTH_ERROR) {
    throw RequestError(400, fmt::format("the JSON is nested deeper than {}", kTableDepth));
  }
  if (error != simdjson::SUCCESS) {
    throw RequestError(400, std::string("not JSON: ") + simdjson::error_message(error));
  }
  return element;
}

void parse_json(std::string_view body, Objects& objects) {
  dom::parser parser;
  const dom::element whole = parse(parser, body);
  dom::array list;
  dom::element rows;
  if (whole.get(list) == simdjson::SUCCESS ||
      (whole["rows"].get(rows) == simdjson::SUCCESS && rows.get(list) == simdjson::SUCCESS)) {
    for (const dom::element item : list) objects.add(item);
    return;
  }
  objects.add(whole);
}

void parse_ndjson(std::string_view body, Objects& objects) {
  dom::parser parser;
  std::uint64_t number = 0;
  while (!body.empty()) {
    ++number;
    const std::size_t end = std::min(body.find('\n'), body.size());
    std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty()) continue;
    try {
      objects.add(parse(parser, line));
    } catch (const RequestError& error) {
      throw RequestError(error.status(), fmt::format("line {}: {}", number, error.what()))
          .field(error.field())
          .row(number - 1);
    }
  }
}

void parse_csv(std::string_view body, TableText& table, const TableLimits& limits) {
  constexpr const char* kName = "the body";
  CsvReader reader(TextBuffer(std::make_unique<BodySource>(body), kName, kLongestRow), kName, {});
  table.columns = reader.columns();
  check_size(table, limits);
  std::map<std::string_view, int> times;
  for (const std::string& column : table.columns) {
    if (++times[column] > 1) {
      throw RequestError(422, fmt::format("the header has the column {} twice", column))
          .field(column);
    }
  }
  ColumnSelection all;
  all.texts = table.columns;
  reader.select(std::move(all));
  Row row;
  RejectedRow rejected;
  while (true) {
    const RowReader::Next next = reader.next(row, rejected);
    if (next == RowReader::Next::end) return;
    if (next == RowReader::Next::rejected) {
      throw RequestError(422, fmt::format("line {}: {}", rejected.line, rejected.reason))
          .field(rejected.column)
          .row(table.rows.size());
    }
    table.rows.push_back(row.texts);
    check_size(table, limits);
  }
}

}  // namespace

TableText parse_table(std::string_view body, TableFormat format, const TableLimits& limits) {
  TableText table;
  if (format == TableFormat::csv) {
    try {
      parse_csv(body, table, limits);
    } catch (const ReadError& error) {
      throw RequestError(400, error.what());
    }
  } else {
    Objects objects(table, limits);
    if (format == TableFormat::json) {
      parse_json(body, objects);
    } else {
      parse_ndjson(body, objects);
    }
    objects.finish();
  }
  if (table.rows.empty()) throw RequestError(422, "the request has no rows");
  return table;
}

CellMap::CellMap(const table::Recipe& recipe, const std::vector<std::string>& columns) {
  for (const std::string& name : recipe.read_columns()) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    if (found != columns.end()) {
      places_.push_back(static_cast<std::size_t>(found - columns.begin()));
      continue;
    }
    const auto column =
        std::find_if(recipe.columns().begin(), recipe.columns().end(),
                     [&name](const table::Column& one) { return one.name == name; });
    const bool may_lack = column != recipe.columns().end() && column->use == table::Use::none &&
                          name != recipe.parts().by;
    if (!may_lack) {
      throw RequestError(422, fmt::format("the column {} is not there; a row whose value is "
                                          "missing has null, or nothing between two commas",
                                          name))
          .field(name);
    }
    places_.push_back(kAbsent);
  }
  cells_.resize(places_.size());
}

table::Cells CellMap::cells(const std::vector<std::string>& row) {
  for (std::size_t k = 0; k < places_.size(); ++k) {
    cells_[k] = places_[k] == kAbsent ? table::Cell{} : table::Cell::of(row[places_[k]]);
  }
  return cells_;
}

}  // namespace splitgp::serve
