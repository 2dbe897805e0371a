#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace splitgp::store {

/// Numbers as bytes, for what changes with every row and is never read by people: counts take one
/// byte for seven bits, the lowest first; reals are the eight bytes of a double, the lowest first.
class PackedNumbers {
 public:
  void count(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void real(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    char bytes[sizeof(bits)];
    for (unsigned i = 0; i < sizeof(bits); ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    bytes_.append(bytes, sizeof(bits));
  }
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

/// The inverse. At the end of the bytes, or at something that is no number, it is not good() any
/// more, and all that follows is 0.
class NumberUnpacker {
 public:
  explicit NumberUnpacker(std::string_view bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool done() const { return bytes_.empty() || !good_; }

  std::uint64_t count() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = next();
      if (shift == 63 && byte > 1) break;  // beyond 64 bits
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return good_ ? number : 0;
    }
    good_ = false;
    return 0;
  }
  double real() {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < sizeof(bits); ++i) bits |= next() << (8 * i);
    return good_ ? std::bit_cast<double>(bits) : 0.0;
  }

 private:
  std::uint64_t next() {
    if (bytes_.empty()) {
      good_ = false;
      return 0;
    }
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace splitgp::store
