#include "io/ndjson_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>

#include "io/number.h"
#include "io/printable.h"

namespace splitgp {

namespace json = simdjson::ondemand;

struct NdjsonReader::Parser {
  json::parser parser;
};

namespace {

struct Malformed {
  std::string reason;
  std::string column = {};  // whose value is not a number
};

template <typename T>
T get(simdjson::simdjson_result<T> result) {
  T value{};
  if (const simdjson::error_code error = std::move(result).get(value)) {
    throw Malformed{fmt::format("not valid JSON: {}", simdjson::error_message(error))};
  }
  return value;
}

// Without the trailing space that simdjson includes. Valid as long as the line.
std::string_view token_of(json::value value) { return trimmed(value.raw_json_token()); }

double number_of(json::value value, const std::string& column) {
  const auto wrong = [&column](std::string_view what) {
    return Malformed{fmt::format("column {}: {}", shown(column), what), column};
  };
  switch (get(value.type())) {
    case json::json_type::number: {
      const std::string_view token = token_of(value);
      double number = 0.0;
      if (value.get_double().get(number) != simdjson::SUCCESS) {
        throw wrong(shown(token) + " is not a number, or out of range");
      }
      if (const std::optional<std::string> problem = check_number(number)) throw wrong(*problem);
      return number;
    }
    case json::json_type::null:
      throw wrong("the value is missing (null)");
    case json::json_type::string:
      throw wrong(fmt::format("{} is a string, not a number", shown(get(value.get_string()))));
    case json::json_type::boolean:
      throw wrong(get(value.get_bool()) ? "true is not a number" : "false is not a number");
    case json::json_type::object:
      throw wrong("the value is an object, not a number");
    case json::json_type::array:
      throw wrong("the value is an array, not a number");
  }
  throw wrong("the value is not a number");
}

// As it is in the line.
std::string json_of(json::value value) {
  switch (get(value.type())) {
    case json::json_type::object:
      return std::string(trimmed(get(get(value.get_object()).raw_json())));
    case json::json_type::array:
      return std::string(trimmed(get(get(value.get_array()).raw_json())));
    default:
      return std::string(token_of(value));
  }
}

// As a person would write it in a table; nested values stay JSON.
std::string text_of(json::value value) {
  switch (get(value.type())) {
    case json::json_type::string:
      return std::string(get(value.get_string()));
    case json::json_type::null:
      return "";
    default:
      return json_of(value);
  }
}

// Calls visit(key, value) for every field of the object in the line; throws Malformed.
template <typename Visit>
void for_each_field(json::parser& parser, const std::string& line, Visit visit) {
  json::document document;
  const simdjson::padded_string_view padded(line.data(), line.size(), line.capacity());
  if (const simdjson::error_code error = parser.iterate(padded).get(document)) {
    throw Malformed{fmt::format("not valid JSON: {}", simdjson::error_message(error))};
  }
  json::json_type type{};
  if (document.type().get(type) != simdjson::SUCCESS || type != json::json_type::object) {
    throw Malformed{"the line is not a JSON object"};
  }
  json::object object = get(document.get_object());
  for (simdjson::simdjson_result<json::field> result : object) {
    json::field field = get(std::move(result));
    const std::string key(get(field.unescaped_key()));
    visit(key, field.value());
  }
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) {
    throw Malformed{"there is text after the JSON object"};
  }
}

constexpr std::size_t kLinesWithoutObject = 1000;

}  // namespace

NdjsonReader::NdjsonReader(TextBuffer text, std::string name, Layout layout)
    : text_(std::move(text)), name_(std::move(name)), parser_(std::make_unique<Parser>()) {
  if (layout == Layout::array) array_.emplace();
}

NdjsonReader::~NdjsonReader() = default;

bool NdjsonReader::read_element(Line& line) {
  std::string_view text;
  const JsonArray::Element outcome = array_->take(text_, text, line.number);
  if (outcome == JsonArray::Element::end) return false;
  line.front_size = text_.front().size();
  line.too_long = outcome == JsonArray::Element::too_long;
  line.problem.clear();
  if (outcome == JsonArray::Element::unclosed) line.problem = "the text ends within the JSON array";
  if (outcome == JsonArray::Element::trailing) line.problem = "there is text after the JSON array";
  if (outcome != JsonArray::Element::whole) return true;
  line.text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  line.text.assign(text);
  return true;
}

bool NdjsonReader::read_line(Line& line) {
  if (array_) return read_element(line);
  while (true) {
    line.number = text_.line_number();
    std::string_view text;
    const TextBuffer::Line outcome = text_.take_line(text);
    if (outcome == TextBuffer::Line::end) return false;
    line.front_size = text_.front().size();
    line.too_long = outcome == TextBuffer::Line::too_long;
    if (line.too_long) return true;
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    line.text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    line.text.assign(text);
    return true;
  }
}

bool NdjsonReader::next_line(Line& line) {
  if (looked_at_.empty()) {
    if (!read_line(line)) return false;
  } else {
    line = std::move(looked_at_.front());
    looked_at_.pop_front();
  }
  front_size_ = line.front_size;
  return true;
}

const std::vector<std::string>& NdjsonReader::columns() {
  if (std::exchange(columns_read_, true)) return columns_;
  Line line;
  while (true) {
    // Later lines that are too long are dropped up to their end; a first line may have no end.
    if (!array_ && text_.first_line_too_long()) {
      throw ReadError(fmt::format(
          "{}: line {}: the line is longer than {} bytes, and there was no JSON object before it",
          name_, text_.line_number(), text_.longest_row()));
    }
    if (!read_line(line)) break;
    looked_at_.push_back(line);
    looked_at_.back().text.reserve(line.text.size() + simdjson::SIMDJSON_PADDING);
    try {
      if (!line.problem.empty()) throw Malformed{line.problem};
      if (array_ && line.too_long) throw Malformed{"the row is too long"};
      for_each_field(
          parser_->parser, line.text,
          [this](const std::string& key, const json::value&) { columns_.push_back(key); });
      return columns_;
    } catch (const Malformed& malformed) {
      columns_.clear();
      if (looked_at_.size() < kLinesWithoutObject) continue;
      throw ReadError(fmt::format("{}: none of the first {} lines is a JSON object; line {}: {}",
                                  name_, kLinesWithoutObject, line.number, malformed.reason));
    }
  }
  return columns_;
}

void NdjsonReader::select(ColumnSelection selection) {
  places_.clear();
  row_ = 0;
  for (std::size_t k = 0; k < selection.numbers.size(); ++k) {
    places_[selection.numbers[k]].number = k;
  }
  for (std::size_t k = 0; k < selection.texts.size(); ++k) places_[selection.texts[k]].text = k;
  selection_ = std::move(selection);
}

// Returns the reason if the line is not a row, and sets the column if its value is not a number.
std::string NdjsonReader::parse(const Line& line, Row& row, std::string& column) {
  ++row_;
  std::size_t found = 0;
  row.numbers.resize(selection_.numbers.size());
  row.json_texts = selection_.json_texts;
  // A key that is missing is null.
  row.texts.assign(selection_.texts.size(), row.json_texts ? "null" : "");
  try {
    for_each_field(parser_->parser, line.text, [&](const std::string& key, json::value value) {
      const auto entry = places_.find(key);
      if (entry == places_.end()) return;
      Place& place = entry->second;
      if (std::exchange(place.last_row, row_) == row_) {
        throw Malformed{fmt::format("column {} appears twice", shown(key))};
      }
      // A value can be read only once; as text, a number is its token.
      if (place.number) {
        if (place.text) row.texts[*place.text] = token_of(value);
        row.numbers[*place.number] = number_of(value, key);
      } else {
        row.texts[*place.text] = row.json_texts ? json_of(value) : text_of(value);
      }
      if (place.number) ++found;
    });
  } catch (const Malformed& malformed) {
    column = malformed.column;
    return malformed.reason;
  }
  if (found == selection_.numbers.size()) return "";
  for (const std::string& name : selection_.numbers) {
    if (places_.find(name)->second.last_row != row_) {
      return fmt::format("column {}: the value is missing", shown(name));
    }
  }
  return "";
}

RowReader::Next NdjsonReader::next(Row& row, RejectedRow& rejected) {
  if (!next_line(line_)) return Next::end;
  row.line = rejected.line = line_.number;
  rejected.column.clear();
  rejected.reason = line_.too_long
                        ? fmt::format("the row is longer than {} bytes", text_.longest_row())
                    : line_.problem.empty() ? parse(line_, row, rejected.column)
                                            : line_.problem;
  return rejected.reason.empty() ? Next::row : Next::rejected;
}

std::uint64_t NdjsonReader::skip(std::uint64_t rows) {
  for (std::uint64_t skipped = 0; skipped < rows; ++skipped) {
    if (!next_line(line_)) return skipped;
  }
  return rows;
}

}  // namespace splitgp
