#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "splitgp/model_file.h"

namespace splitgp::store {

/// An error about a file: "cannot open model.splitgp: ...".
FileError cannot(const char* action, const std::filesystem::path& path, const std::string& reason);
FileError damaged(const std::filesystem::path& path, const std::string& what);

/// Which file it is, whatever its name.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  // 0: there is none
  bool operator==(const FileIdentity&) const = default;

  static FileIdentity of(const std::filesystem::path& path) noexcept;
};

/// A connection to an SQLite file. Every failure is a FileError.
///
/// The file is not trusted: triggers, views and extensions in it are not run.
class Database {
 public:
  enum class Mode {
    create,      ///< A new file.
    read_write,  ///< An existing one.
    read_only,   ///< May run beside a writer: sees the last transaction.
    immutable,   ///< A file that does not change: needs no locks and no other files.
  };
  Database(const std::filesystem::path& path, Mode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);

  /// How long it waits for others, in milliseconds: an sqlite3 shell may hold the file for a
  /// moment.
  static constexpr int kPatience = 5000;

  /// In bytes, including the log.
  std::uintmax_t size() const;

  /// The file's first bytes as they are, fewer if it is shorter. Read through SQLite, because
  /// closing a descriptor of our own would drop the locks of every connection this process has to
  /// the file (POSIX).
  std::string first_bytes(int count) const;

  /// Whether the name that it was opened by belongs to another file now, or to none.
  bool has_moved() const;
  /// For a file that has: moves what is in its log into it and takes the log away, if that still
  /// lies under the old name. SQLite would apply it to whatever file has the name now.
  void remove_log_of_moved() const noexcept;

  sqlite3* handle() const { return handle_.get(); }
  const std::filesystem::path& path() const { return path_; }

  /// The last error, in our words.
  [[noreturn]] void fail() const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::filesystem::path path_;
  bool writes_;
  mutable FileIdentity log_;  // once it is known
  std::unique_ptr<sqlite3, Close> handle_;
};

/// BEGIN … COMMIT; rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
};

}  // namespace splitgp::store
