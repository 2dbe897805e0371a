#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace splitgp::store {

/// "[1,2.5,-3e-09]": JSON, so that SQLite's json_each() reads it, with the fewest digits that read
/// back as the same number.
std::string to_text(const Eigen::VectorXd& numbers);
std::string to_text(const std::vector<std::uint64_t>& numbers);
std::string to_text(const std::vector<int>& numbers);
std::string to_text(double number);

/// The inverse; nullopt if the text is not such a list.
std::optional<Eigen::VectorXd> to_vector(std::string_view text);
std::optional<std::vector<std::uint64_t>> to_sequence_numbers(std::string_view text);
std::optional<std::vector<int>> to_integers(std::string_view text);

/// The whole text as one number; nullopt if it is not a number.
template <typename Number>
std::optional<Number> to_number(std::string_view text);

}  // namespace splitgp::store
