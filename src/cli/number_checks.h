#pragma once

#include <CLI/Validators.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <system_error>

namespace splitgp {

/// A count: digits and nothing else, `least` to 2^64 − 1. CLI11 by itself takes −1 for 2^64 − 1,
/// and so it does any number that is larger.
inline CLI::Validator count_from(std::uint64_t least) {
  CLI::Validator check;
  check.operation([least](std::string& text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= least) return std::string();
    return text + " is not a whole number of " + std::to_string(least) + " or more" +
           (error == std::errc::result_out_of_range ? " that 64 bits hold" : "");
  });
  return check;
}

/// Finite and not negative.
inline CLI::Validator finite_from_zero() {
  CLI::Validator check;
  check.operation([](std::string& text) {
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && std::isfinite(value) && value >= 0.0) {
      return std::string();
    }
    return text + " is not a number of 0 or more";
  });
  return check;
}

}  // namespace splitgp
