#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace splitgp {

/// A CSV file beside a stream whose first field is the number of the row, in increasing order.
/// When a stream is resumed, rows after the last commit are cut off, because they will come again.
class RowFile {
 public:
  /// "-" is standard output. With `resume_after`, an existing file is continued after that row;
  /// throws CommandError if it has another header. Otherwise it is replaced.
  RowFile(const std::filesystem::path& path, const std::string& header,
          std::optional<std::uint64_t> resume_after);
  ~RowFile();
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  /// Throws CommandError if the disk is full, say.
  void write(const std::string& line);
  void flush();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  bool pending_ = false;
};

}  // namespace splitgp
