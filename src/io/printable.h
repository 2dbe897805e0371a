#pragma once

#include <string>
#include <string_view>

namespace splitgp {

/// Text from a file made safe to print on a terminal: control characters and bytes that are not
/// UTF-8 become \xNN.
std::string printable(std::string_view text);

/// The same, cut to forty bytes with "…".
std::string shortened(std::string_view text);

/// A value in a message: shortened() in quotes.
std::string shown(std::string_view text);

}  // namespace splitgp
