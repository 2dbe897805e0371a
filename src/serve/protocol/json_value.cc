#include "serve/protocol/json_value.h"

#include <fmt/format.h>

#include "serve/protocol/request_error.h"

namespace splitgp::serve {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kDepth = 16;
constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;

dom::parser& kept_parser() {
  thread_local dom::parser kept;
  return kept;
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text) {
  if (kept_parser().capacity() > kKeptCapacity) kept_parser() = dom::parser();
  if (text.size() > kept_parser().capacity() || kept_parser().max_depth() != kDepth) {
    const auto size = std::max<std::size_t>(text.size(), 4096);
    if (kept_parser().allocate(size, kDepth) != simdjson::SUCCESS) {
      throw RequestError(413, "the request is too large");
    }
  }
  dom::element element;
  const auto error = kept_parser().parse(text.data(), text.size()).get(element);
  if (error == simdjson::DEPTH_ERROR) {
    throw RequestError(400, fmt::format("the JSON is nested deeper than {}", kDepth));
  }
  if (error != simdjson::SUCCESS) {
    throw RequestError(400, std::string("not JSON: ") + simdjson::error_message(error));
  }
  if (element.get(object_) != simdjson::SUCCESS) {
    throw RequestError(400, "the request is not a JSON object");
  }
}

std::string json_excerpt(dom::element value) {
  std::string text = simdjson::minify(value);
  if (text.size() > 60) text = text.substr(0, 57) + "…";
  return text;
}

void refuse_json(std::string_view what, std::string_view field, dom::element value) {
  throw RequestError(400, fmt::format("{} must be {}", field, what))
      .field(std::string(field))
      .value(json_excerpt(value));
}

std::string read_text(dom::element value, std::string_view field) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) refuse_json("a text", field, value);
  return std::string(text);
}

bool read_flag(dom::element value, std::string_view field) {
  bool flag = false;
  if (value.get(flag) != simdjson::SUCCESS) refuse_json("true or false", field, value);
  return flag;
}

std::uint64_t read_count(dom::element value, std::string_view field) {
  std::uint64_t count = 0;
  if (value.get(count) != simdjson::SUCCESS) refuse_json("a number from 0 on", field, value);
  return count;
}

double read_number(dom::element value, std::string_view field, std::size_t row) {
  double number = 0.0;
  if (value.get(number) == simdjson::SUCCESS) return number;  // integers too
  bool flag = false;
  if (value.get(flag) == simdjson::SUCCESS) return flag ? 1.0 : 0.0;
  throw RequestError(422,
                     fmt::format("{}: row {}: {} is not a number", field, row, json_excerpt(value)))
      .field(std::string(field))
      .row(row)
      .value(json_excerpt(value));
}

}  // namespace splitgp::serve
