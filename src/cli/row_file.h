#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace splitgp {

/// A file that a stream writes, line by line, each beginning with the number of its row, which does
/// not decrease; or with `prefix` and then that number, as in NDJSON. When the stream is resumed,
/// rows after the last commit are cut off, because they will be written again.
class RowFile {
 public:
  /// "-" is standard output. With `resume_after`, an existing file is continued after that row;
  /// throws CommandError if it has another header, or no lines of this kind. Otherwise it is
  /// replaced.
  RowFile(const std::filesystem::path& path, const std::string& header,
          std::optional<std::uint64_t> resume_after, std::string_view prefix = {});
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// Throws CommandError if it cannot, as on a full disk.
  void write(const std::string& line);
  void flush();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  bool pending_ = false;
};

}  // namespace splitgp
