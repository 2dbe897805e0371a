#pragma once

#include <filesystem>

#include "store/database.h"

namespace splitgp::store {

/// One writer at a time for a model file, on this machine. SQLite's own locks last only for a
/// transaction, and a writer that remembers the file's content must stay the only one in between.
///
/// The lock is held on a file beside it, NAME-lock, which the last writer removes. A killed process
/// leaves that file but not the lock. Once the model file exists it is locked too, whatever its
/// name: the directory may be mounted twice.
class WriterLock {
 public:
  /// Throws FileError if another process, or another ModelFile of this one, has it.
  explicit WriterLock(const std::filesystem::path& model_file);
  ~WriterLock();
  /// Locks the model file itself, which must exist. Throws FileError if somebody else has it, or if
  /// it has a second name (a hard link): SQLite's log belongs to a name, and under the other one
  /// what is in it would be missing.
  void hold_file();
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::filesystem::path model_file_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  FileIdentity file_;
  int file_descriptor_ = -1;
};

}  // namespace splitgp::store
