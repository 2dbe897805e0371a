#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace splitgp {

/// A number as the model takes it: finite and at most 1e150 in magnitude. Never the locale's.
/// Returns the reason if there is none, naming the text; spaces around it do not matter.
std::optional<std::string> parse_number(std::string_view text, char decimal_mark, double& value);

/// As above, for a number that is one already.
std::optional<std::string> check_number(double value);

/// Whether JSON takes it for a number as it stands: no plus, no leading zeros, no spaces.
bool is_json_number(std::string_view text);

/// Without the spaces around it.
std::string_view trimmed(std::string_view text);

}  // namespace splitgp
