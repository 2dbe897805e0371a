#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace splitgp::store {

/// The last column of every row of a model file is the checksum of the others: SQLite detects a
/// damaged page only if its structure is broken, not if a number in it has changed.
///
/// Every step is a bijection of the sum and of the value, so damage to one value is always
/// detected. Speed matters (a million rows within a fraction of a second); resistance to forgery
/// does not.
class Checksum {
 public:
  void add(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x9e3779b97f4a7c15u;  // 2⁶⁴/φ, odd
    sum_ ^= sum_ >> 29;
  }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(double value) {
    // SQLite keeps neither −0 nor the many kinds of NaN.
    add(std::isnan(value) ? kNan : std::bit_cast<std::uint64_t>(value + 0.0));
  }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, sizeof(std::uint64_t));
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(piece[i])} << (8 * i);
      }
      add(word);
      text.remove_prefix(piece.size());
    }
  }
  void add_null() { add(kNan); }

  /// As SQLite stores it.
  std::int64_t value() const { return static_cast<std::int64_t>(sum_); }

 private:
  static constexpr std::uint64_t kNan = 0x7ff8000000000000u;
  std::uint64_t sum_ = 0x53706c6974475031u;  // "SplitGP1"
};

}  // namespace splitgp::store
