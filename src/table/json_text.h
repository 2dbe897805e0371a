#pragma once

#include <string>

namespace splitgp::table {

/// Text from a table as JSON can hold it: as it is if it is UTF-8, else with each byte as a
/// character of its own after a mark. from_json_text() gives it back byte for byte.
std::string json_text(const std::string& bytes);
std::string from_json_text(const std::string& text);

}  // namespace splitgp::table
