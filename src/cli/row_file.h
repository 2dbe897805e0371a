#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace splitgp {

/// A CSV file that a stream writes, whose first field is the increasing number of the row. When the
/// stream is resumed, rows after the last commit are cut off, because they will be written again.
class RowFile {
 public:
  /// "-" is standard output. With `resume_after`, an existing file is continued after that row;
  /// throws CommandError if it has another header. Otherwise it is replaced.
  RowFile(const std::filesystem::path& path, const std::string& header,
          std::optional<std::uint64_t> resume_after);
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
