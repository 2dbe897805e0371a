#pragma once

#include <sqlite3.h>

#include <cstring>

namespace splitgp::testing {

/// While it lives, SQLite writes through this: a disk that fails after a number of writes, and
/// keeps failing until it is mended. Everything else is the real disk.
class FailingDisk {
 public:
  FailingDisk() {
    disk() = this;
    real_ = sqlite3_vfs_find(nullptr);
    vfs_ = *real_;
    vfs_.zName = "failing_disk";
    vfs_.pNext = nullptr;
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
      return disk()->open(name, reinterpret_cast<File*>(file), flags, out);
    };
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~FailingDisk() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(real_, 1);
    disk() = nullptr;
  }
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  /// The (writes + 1)-th write or sync from now on, and all later ones, fail with this code.
  void fail_after(int writes, int code) {
    left_ = writes;
    code_ = code;
  }
  void mend() { code_ = SQLITE_OK; }
  bool has_failed() const { return code_ != SQLITE_OK && left_ < 0; }

 private:
  struct File {
    sqlite3_file base;
    sqlite3_io_methods methods;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  static FailingDisk*& disk() {
    static FailingDisk* current = nullptr;
    return current;
  }
  static sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }

  bool fails() { return code_ != SQLITE_OK && --left_ < 0; }

  int open(const char* name, File* file, int flags, int* out) {
    file->base.pMethods = nullptr;
    const int code = real_->xOpen(real_, name, file->real(), flags, out);
    if (code != SQLITE_OK) return code;
    sqlite3_io_methods& m = file->methods;
    m = {};
    m.iVersion = 2;  // without memory mapping, which would bypass this
    m.xClose = [](sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); };
    m.xRead = [](sqlite3_file* f, void* to, int n, sqlite3_int64 at) {
      return real(f)->pMethods->xRead(real(f), to, n, at);
    };
    m.xWrite = [](sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
      if (disk()->fails()) return disk()->code_;
      return real(f)->pMethods->xWrite(real(f), from, n, at);
    };
    m.xTruncate = [](sqlite3_file* f, sqlite3_int64 n) {
      return real(f)->pMethods->xTruncate(real(f), n);
    };
    m.xSync = [](sqlite3_file* f, int how) {
      if (disk()->fails()) return SQLITE_IOERR_FSYNC;
      return real(f)->pMethods->xSync(real(f), how);
    };
    m.xFileSize = [](sqlite3_file* f, sqlite3_int64* n) {
      return real(f)->pMethods->xFileSize(real(f), n);
    };
    m.xLock = [](sqlite3_file* f, int l) { return real(f)->pMethods->xLock(real(f), l); };
    m.xUnlock = [](sqlite3_file* f, int l) { return real(f)->pMethods->xUnlock(real(f), l); };
    m.xCheckReservedLock = [](sqlite3_file* f, int* result) {
      return real(f)->pMethods->xCheckReservedLock(real(f), result);
    };
    m.xFileControl = [](sqlite3_file* f, int what, void* argument) {
      return real(f)->pMethods->xFileControl(real(f), what, argument);
    };
    m.xSectorSize = [](sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); };
    m.xDeviceCharacteristics = [](sqlite3_file* f) {
      return real(f)->pMethods->xDeviceCharacteristics(real(f));
    };
    m.xShmMap = [](sqlite3_file* f, int page, int size, int extend, void volatile** to) {
      return real(f)->pMethods->xShmMap(real(f), page, size, extend, to);
    };
    m.xShmLock = [](sqlite3_file* f, int at, int n, int how) {
      return real(f)->pMethods->xShmLock(real(f), at, n, how);
    };
    m.xShmBarrier = [](sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); };
    m.xShmUnmap = [](sqlite3_file* f, int remove) {
      return real(f)->pMethods->xShmUnmap(real(f), remove);
    };
    file->base.pMethods = &m;
    return SQLITE_OK;
  }

  sqlite3_vfs* real_ = nullptr;
  sqlite3_vfs vfs_{};
  int left_ = 0;
  int code_ = SQLITE_OK;
};

}  // namespace splitgp::testing
