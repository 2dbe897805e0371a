#include "io/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/printable.h"

namespace splitgp {
namespace {

constexpr double kLargest = 1e150;  // splitgp/splitting_gp.h

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 8> kNames{"",     "NA",   "N/A", "n/a",
                                                   "null", "NULL", "?",   "-"};
  return std::find(kNames.begin(), kNames.end(), text) != kNames.end();
}

std::string_view without_plus(std::string_view text) {
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  return text;
}

// Removes the digits at the start of the text; returns how many there were.
std::size_t take_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(count);
  return count;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_json_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const std::size_t whole = take_digits(text);
  if (whole == 0 || (zero && whole > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (take_digits(text) == 0) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (take_digits(text) == 0) return false;
  }
  return text.empty();
}

std::optional<std::string> check_number(double value) {
  if (!std::isfinite(value)) return fmt::format("{} is not finite", value);
  if (std::abs(value) > kLargest) return fmt::format("{} is larger than {}", value, kLargest);
  return std::nullopt;
}

std::optional<std::string> parse_number(std::string_view text, char decimal_mark, double& value) {
  const std::string_view number = trimmed(text);
  if (is_missing(number)) {
    return number.empty() ? "the value is missing" : "the value is missing (" + shown(number) + ")";
  }
  // More digits than a person or a program would write.
  std::array<char, 64> pointed{};
  std::string_view digits = without_plus(number);
  if (decimal_mark != '.') {
    if (digits.size() > pointed.size() || digits.find('.') != std::string_view::npos) {
      return shown(number) + " is not a number with a decimal " + shown({&decimal_mark, 1});
    }
    std::replace_copy(digits.begin(), digits.end(), pointed.begin(), decimal_mark, '.');
    digits = {pointed.data(), digits.size()};
  }
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    return shown(number) + " is out of range";
  }
  if (error != std::errc() || stop != end) {
    const bool comma = decimal_mark == '.' && std::count(digits.begin(), digits.end(), ',') == 1;
    return shown(number) + " is not a number" + (comma ? " (for decimal commas: --decimal ,)" : "");
  }
  if (!std::isfinite(value)) return shown(number) + " is not finite";
  if (std::abs(value) > kLargest) return shown(number) + " is larger than 1e150";
  return std::nullopt;
}

}  // namespace splitgp
