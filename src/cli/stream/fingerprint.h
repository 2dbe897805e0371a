#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace splitgp {

/// The length and a hash of the text that an input begins with, to notice when a file that was
/// read before has been replaced. It covers no more than was read, so that a file may grow.
class Fingerprint {
 public:
  /// Takes in what `text` has beyond bytes(). REQUIRES: it begins with what was taken in so far.
  void extend(std::string_view text);
  std::uint64_t bytes() const { return bytes_; }
  /// Whether `text` begins with the same bytes, as far as a hash can tell.
  bool matches(std::string_view text) const;

  std::string to_note() const;
  /// Nothing if the note is not one that to_note() wrote.
  static std::optional<Fingerprint> from_note(const std::string& note);

 private:
  std::uint64_t bytes_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325U;  // FNV-1a, 64 bits
};

}  // namespace splitgp
