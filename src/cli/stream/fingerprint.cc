#include "cli/stream/fingerprint.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace splitgp {

void Fingerprint::extend(std::string_view text) {
  for (; bytes_ < text.size(); ++bytes_) {
    hash_ = (hash_ ^ static_cast<unsigned char>(text[bytes_])) * 0x100000001b3U;
  }
}

bool Fingerprint::matches(std::string_view text) const {
  Fingerprint other;
  other.extend(text.substr(0, bytes_));
  return other.bytes_ == bytes_ && other.hash_ == hash_;
}

std::string Fingerprint::to_note() const { return fmt::format("{} {:016x}", bytes_, hash_); }

std::optional<Fingerprint> Fingerprint::from_note(const std::string& note) {
  Fingerprint result;
  const char* const end = note.data() + note.size();
  const auto [space, bytes_error] = std::from_chars(note.data(), end, result.bytes_);
  if (bytes_error != std::errc() || space == end) return std::nullopt;
  const auto [stop, hash_error] = std::from_chars(space + 1, end, result.hash_, 16);
  if (hash_error != std::errc() || stop != end) return std::nullopt;
  return result;
}

}  // namespace splitgp
