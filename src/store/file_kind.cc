#include "store/file_kind.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "store/schema.h"
#include "store/table_rows.h"

namespace splitgp::store {
namespace {

// SQLite's header is described in https://www.sqlite.org/fileformat.html, section 1.3.
constexpr int kHeaderSize = 100;
constexpr std::size_t kPageSizeAt = 16;  // two bytes
constexpr std::size_t kChangeCounterAt = 24;
constexpr std::size_t kPagesAt = 28;
constexpr std::size_t kPagesValidForAt = 92;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::string_view kMagic("SQLite format 3\0", 16);

std::uint32_t big_endian(std::string_view header, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(header[at + i]);
  }
  return value;
}

}  // namespace

void check_kind(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw cannot("open", path, "there is no such file");
  }
  if (error) throw cannot("open", path, error.message());
  if (status.type() == std::filesystem::file_type::directory) {
    throw cannot("open", path, "it is a directory");
  }
  if (status.type() != std::filesystem::file_type::regular) {
    throw cannot("open", path, "it is not a regular file");
  }

  const std::string header = Database(path, Database::Mode::immutable).first_bytes(kHeaderSize);
  const std::string not_ours = path.string() + " is not a splitgp model file: ";
  if (header.empty()) throw FileError(not_ours + "it is empty");
  if (std::ssize(header) < kHeaderSize && kMagic.starts_with(header.substr(0, kMagic.size()))) {
    throw damaged(path, "it ends after " + std::to_string(header.size()) + " bytes");
  }
  if (!header.starts_with(kMagic)) throw FileError(not_ours + "it is not an SQLite database");
  if (big_endian(header, kApplicationIdAt) != kApplicationId) {
    throw FileError(not_ours + "it is another program's SQLite database");
  }
  const std::uint32_t version = big_endian(header, kUserVersionAt);
  if (version == 0) throw damaged(path, "it has no format version");
  if (version > kFormatVersion) {
    throw FileError(path.string() + " has format version " + std::to_string(version) +
                    "; this splitgp reads versions up to " + std::to_string(kFormatVersion) +
                    ", so a newer one is needed");
  }
}

// Not from the first bytes: the log may hold newer ones.
std::uint32_t format_version(const Database& database) {
  TableReader row(database, "pragma_user_version", "1");
  if (!row.next()) throw damaged(database.path(), "it has no format version");
  return static_cast<std::uint32_t>(row.integer("user_version", 1, kFormatVersion));
}

void check_length(const Database& database) {
  const std::string header = database.first_bytes(kHeaderSize);
  if (std::ssize(header) < kHeaderSize) throw damaged(database.path(), "it has been cut off");
  // Other programs may write without counting pages; SQLite then uses the file's length.
  if (big_endian(header, kPagesValidForAt) != big_endian(header, kChangeCounterAt)) return;
  const std::uintmax_t page_size =
      std::max<std::uint32_t>(big_endian(header, kPageSizeAt) >> 16, 2);
  const std::uintmax_t should_be = page_size * big_endian(header, kPagesAt);
  if (database.size() < should_be) {
    throw damaged(database.path(), "it ends after " + std::to_string(database.size()) + " of " +
                                       std::to_string(should_be) + " bytes");
  }
}

}  // namespace splitgp::store
