#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace splitgp {

/// Parses a number that the model accepts: finite and at most 1e150 in magnitude. Spaces around it
/// and the locale do not matter. Returns the reason, which names the text, if it is not one.
std::optional<std::string> parse_number(std::string_view text, char decimal_mark, double& value);

/// The same check for a number that is parsed already.
std::optional<std::string> check_number(double value);

/// Whether the text is a number in JSON, which allows no plus, leading zeros or spaces.
bool is_json_number(std::string_view text);

/// The text without the spaces around it.
std::string_view trimmed(std::string_view text);

}  // namespace splitgp
