#pragma once

#include <string>
#include <string_view>

namespace splitgp {

/// Text of a file, safe for a terminal: control characters and bytes that are not UTF-8 become
/// \xNN.
std::string printable(std::string_view text);

/// As printable(), with "…" for what is beyond some forty characters.
std::string shortened(std::string_view text);

/// A value in a message: shortened() in quotes.
std::string shown(std::string_view text);

}  // namespace splitgp
