#include "io/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace splitgp {
namespace {

// The length in bytes of the first character if it is valid UTF-8 and printable, else 0. REQUIRES:
// the text is not empty.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  char32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  const char32_t smallest = length == 2 ? 0xa0 : length == 3 ? 0x800 : 0x10000;  // 0x80…: controls
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < smallest || surrogate || code > 0x10ffff ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = printable_character(text);
    if (length > 0) {
      result += text.substr(0, length);
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return printable(text);
  // Do not cut a character in two.
  std::size_t end = kMost;
  while (end > kMost - 4 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return printable(text.substr(0, end)) + "…";
}

std::string shown(std::string_view text) { return "'" + shortened(text) + "'"; }

}  // namespace splitgp
