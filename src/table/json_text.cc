#include "table/json_text.h"

#include <nlohmann/json.hpp>

namespace splitgp::table {
namespace {

constexpr char kMark = '\x01';

bool is_utf8(const std::string& bytes) {
  try {
    static_cast<void>(nlohmann::json(bytes).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

std::string json_text(const std::string& bytes) {
  if (!bytes.starts_with(kMark) && is_utf8(bytes)) return bytes;
  std::string text(1, kMark);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return text;
}

std::string from_json_text(const std::string& text) {
  if (!text.starts_with(kMark)) return text;
  std::string bytes;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80 || i + 1 == text.size()) {
      bytes += text[i];
    } else {
      bytes +=
          static_cast<char>(((byte & 0x03) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3f));
    }
  }
  return bytes;
}

}  // namespace splitgp::table
