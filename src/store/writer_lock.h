#pragma once

#include <filesystem>

namespace splitgp::store {

/// One writer at a time for a model file, on this machine. SQLite's own locks last only for a
/// transaction, and a writer that remembers the file's content must stay the only one in between.
///
/// The lock is held on a file beside it, NAME-lock, which the last writer removes. A killed process
/// leaves that file but not the lock.
class WriterLock {
 public:
  /// Throws FileError if another process, or another ModelFile of this one, has it.
  explicit WriterLock(const std::filesystem::path& model_file);
  ~WriterLock();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace splitgp::store
