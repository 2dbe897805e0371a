#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace splitgp {

/// Length and hash of the text at the start of an input, to notice when a file that was read
/// earlier has been replaced. It covers no more than was read, so that a file may grow.
class Fingerprint {
 public:
  /// Adds what `text` has beyond bytes(). REQUIRES: it starts with the text added so far.
  void extend(std::string_view text);
  std::uint64_t bytes() const { return bytes_; }
  /// Whether `text` starts with the same bytes, as far as a hash can tell.
  bool matches(std::string_view text) const;

  std::string to_note() const;
  /// Empty if to_note() did not write the note.
  static std::optional<Fingerprint> from_note(const std::string& note);

 private:
  std::uint64_t bytes_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325U;  // FNV-1a, 64 bits
};

}  // namespace splitgp
