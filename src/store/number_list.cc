#include "store/number_list.h"

#include <array>
#include <charconv>

namespace splitgp::store {
namespace {

template <typename Number>
void append(std::string& text, Number number) {
  std::array<char, 32> digits;
  const std::to_chars_result end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), end.ptr);
}

template <typename Numbers>
std::string list(const Numbers& numbers) {
  std::string text = "[";
  for (const auto& number : numbers) {
    if (text.size() > 1) text += ',';
    append(text, number);
  }
  return text + ']';
}

template <typename Number>
std::optional<std::vector<Number>> parse_list(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<Number> numbers;
  if (text == "[]") return numbers;
  const char* at = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;  // the bracket
  for (;;) {
    Number number{};
    const std::from_chars_result read = std::from_chars(at, end, number);
    if (read.ec != std::errc()) return std::nullopt;
    numbers.push_back(number);
    if (read.ptr == end) return numbers;
    if (*read.ptr != ',') return std::nullopt;
    at = read.ptr + 1;
  }
}

}  // namespace

std::string to_text(const Eigen::VectorXd& numbers) { return list(numbers); }
std::string to_text(const std::vector<std::uint64_t>& numbers) { return list(numbers); }
std::string to_text(const std::vector<int>& numbers) { return list(numbers); }
std::string to_text(double number) {
  std::string text;
  append(text, number);
  return text;
}

std::optional<Eigen::VectorXd> to_vector(std::string_view text) {
  const std::optional<std::vector<double>> numbers = parse_list<double>(text);
  if (!numbers) return std::nullopt;
  return Eigen::VectorXd::Map(numbers->data(), std::ssize(*numbers));
}

std::optional<std::vector<std::uint64_t>> to_sequence_numbers(std::string_view text) {
  return parse_list<std::uint64_t>(text);
}

std::optional<std::vector<int>> to_integers(std::string_view text) { return parse_list<int>(text); }

template <typename Number>
std::optional<Number> to_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

template std::optional<double> to_number<double>(std::string_view);
template std::optional<int> to_number<int>(std::string_view);
template std::optional<std::uint64_t> to_number<std::uint64_t>(std::string_view);

}  // namespace splitgp::store
