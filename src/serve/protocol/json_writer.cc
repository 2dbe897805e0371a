#include "serve/protocol/json_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "serve/protocol/request_error.h"

namespace splitgp::serve {

std::string json_string(std::string_view text) {
  bool plain = true;
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') {
      plain = false;
      break;
    }
  }
  if (plain) return '"' + std::string(text) + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void JsonWriter::separate() {
  if (comma_) to_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  to_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  to_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  to_ += json_string(name);
  to_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) { return raw(json_string(value)); }

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return raw({digits, static_cast<std::size_t>(end - digits)});
}

JsonWriter& JsonWriter::integer(std::int64_t value) { return raw(fmt::format_int(value).c_str()); }
JsonWriter& JsonWriter::count(std::uint64_t value) { return raw(fmt::format_int(value).c_str()); }
JsonWriter& JsonWriter::boolean(bool value) { return raw(value ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::numbers(std::span<const double> values) {
  begin_array();
  for (const double value : values) number(value);
  return end_array();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  to_ += json;
  return *this;
}

std::string RequestError::to_json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("error").text(what());
  if (!field_.empty()) json.key("field").text(field_);
  if (row_) json.key("row").count(*row_);
  if (!value_.empty()) json.key("value").text(value_);
  json.end_object();
  return text;
}

}  // namespace splitgp::serve
