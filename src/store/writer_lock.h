#pragma once

#include <filesystem>

namespace splitgp::store {

/// One writer for a model file, on this machine. SQLite's own locks last for a transaction only,
/// and a writer that knows the file's content by heart must stay the only one in between.
///
/// The lock is that of a file beside it, NAME-lock, which goes away with the last writer. A killed
/// process leaves the file but not the lock.
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
