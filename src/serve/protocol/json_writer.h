#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace splitgp::serve {

/// Appends JSON to a text. Commas are set where they belong; the caller closes what it opens.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& to) : to_(to) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);  ///< What is not UTF-8 is replaced.
  JsonWriter& number(double value);  ///< The shortest that reads the same; null if not finite.
  JsonWriter& integer(std::int64_t value);
  JsonWriter& count(std::uint64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  JsonWriter& numbers(std::span<const double> values);
  JsonWriter& raw(std::string_view json);

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& to_;
  bool comma_ = false;
};

/// A text as a JSON string, quotes included.
std::string json_string(std::string_view text);

}  // namespace splitgp::serve
