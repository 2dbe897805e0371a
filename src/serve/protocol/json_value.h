#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace splitgp::serve {

/// The JSON object of a body, parsed into memory that each thread keeps from request to request,
/// unless one was large. Throws RequestError. One at a time in a thread.
class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  const simdjson::dom::object& object() const { return object_; }

 private:
  simdjson::dom::object object_;
};

/// What a person is shown of a value: not too much.
std::string json_excerpt(simdjson::dom::element value);
/// Throws RequestError, 400: "`field` must be `what`".
[[noreturn]] void refuse_json(std::string_view what, std::string_view field,
                              simdjson::dom::element value);

/// A value that must be of one kind; throws RequestError that names the field otherwise.
std::string read_text(simdjson::dom::element value, std::string_view field);
bool read_flag(simdjson::dom::element value, std::string_view field);
std::uint64_t read_count(simdjson::dom::element value, std::string_view field);
/// Of a row; true and false are 1 and 0.
double read_number(simdjson::dom::element value, std::string_view field, std::size_t row);

}  // namespace splitgp::serve
