#include "cli/row_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

// The number of bytes that the header and the rows up to `last` take, line breaks included.
std::uintmax_t length_through(const std::filesystem::path& path, const std::string& header,
                              std::uint64_t last, std::string_view prefix) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  std::uintmax_t length = 0;
  if (!header.empty()) {
    if (!std::getline(in, line) || in.eof()) return 0;  // not even a whole header
    if (line + '\n' != header) {
      throw CommandError(kUsage, fmt::format("{}: the file exists and has other columns, so "
                                             "it does not belong to this stream",
                                             path.string()));
    }
  }
  length = header.size();
  // A line without a line break was cut off by a crash.
  while (std::getline(in, line) && !in.eof()) {
    if (!line.starts_with(prefix)) {
      throw CommandError(kUsage, fmt::format("{}: the file exists and holds something else, so it "
                                             "does not belong to this stream",
                                             path.string()));
    }
    std::uint64_t row = 0;
    const auto [end, error] =
        std::from_chars(line.data() + prefix.size(), line.data() + line.size(), row);
    if (error != std::errc() || row > last) break;
    length += line.size() + 1;
  }
  return length;
}

}  // namespace

RowFile::RowFile(const std::filesystem::path& path, const std::string& header,
                 std::optional<std::uint64_t> resume_after, std::string_view prefix)
    : path_(path) {
  if (path == "-") {
    file_ = stdout;
    write(header);
    return;
  }
  std::uintmax_t kept = 0;
  if (resume_after && std::filesystem::is_regular_file(path)) {
    kept = length_through(path, header, *resume_after, prefix);
    std::error_code error;
    std::filesystem::resize_file(path, kept, error);
    if (error) throw CommandError(kFailure, path.string() + ": " + error.message());
  }
  file_ = std::fopen(path.c_str(), kept > 0 ? "ab" : "wb");
  if (file_ == nullptr) fail("cannot be written");
  if (kept == 0) write(header);
}

RowFile::~RowFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void RowFile::fail(const char* what) const {
  throw CommandError(kFailure, fmt::format("{}: {}: {}", path_.string(), what,
                                           std::generic_category().message(errno)));
}

void RowFile::write(const std::string& line) {
  pending_ = true;
  if (std::fwrite(line.data(), 1, line.size(), file_) != line.size()) fail("cannot be written");
}

void RowFile::flush() {
  if (!pending_) return;
  pending_ = false;
  if (std::fflush(file_) != 0) fail("cannot be written");
}

}  // namespace splitgp
