#include "store/database.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <system_error>

namespace splitgp::store {
namespace {

std::string reason(sqlite3* handle) {
  const int code = sqlite3_errcode(handle);
  const int system_error = sqlite3_system_errno(handle);
  switch (code) {
    case SQLITE_FULL:
      return "the disk is full";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "it is in use by another process";
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      if (system_error != 0) return std::generic_category().message(system_error);
      [[fallthrough]];
    default:
      return sqlite3_errmsg(handle);
  }
}

// A file name in a URI: everything is escaped but what RFC 3986 calls unreserved.
std::string escaped(const std::string& name) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      result += c;
    } else {
      result += '%';
      result += kDigits[byte >> 4];
      result += kDigits[byte & 15];
    }
  }
  return result;
}

}  // namespace

FileError cannot(const char* action, const std::filesystem::path& path, const std::string& reason) {
  return FileError("cannot " + std::string(action) + " " + path.string() + ": " + reason);
}

FileError damaged(const std::filesystem::path& path, const std::string& what) {
  return FileError(path.string() + " is damaged: " + what);
}

Database::Database(const std::filesystem::path& path, Mode mode)
    : path_(path), writes_(mode == Mode::create || mode == Mode::read_write) {
  // Absolute, because the path in a URI has to be.
  const std::string name = "file://" + escaped(std::filesystem::absolute(path).string()) +
                           (mode == Mode::immutable ? "?immutable=1" : "");
  // Only one thread at a time uses a connection, so SQLite need not lock it.
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= writes_ ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (mode == Mode::create) flags |= SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw std::bad_alloc();
  if (code != SQLITE_OK) fail();
  sqlite3_busy_timeout(handle, kPatience);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  execute("PRAGMA cell_size_check = ON");
}

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::uintmax_t Database::size() const {
  std::uintmax_t size = 0;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const std::uintmax_t part = std::filesystem::file_size(path_.string() + suffix, error);
    if (!error) size += part;
  }
  return size;
}

FileIdentity FileIdentity::of(const std::filesystem::path& path) noexcept {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {static_cast<std::uint64_t>(found.st_dev), static_cast<std::uint64_t>(found.st_ino)};
}

bool Database::has_moved() const {
  int moved = 0;
  const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code == SQLITE_NOTFOUND) return false;  // not every file system can tell
  if (code != SQLITE_OK) fail();
  // SQLite opens the log once, and only under its own name.
  if (moved == 0 && log_.number == 0) log_ = FileIdentity::of(path_.string() + "-wal");
  return moved != 0;
}

void Database::remove_log_of_moved() const noexcept {
  try {
    const std::string log = path_.string() + "-wal";
    if (log_.number == 0 || !(FileIdentity::of(log) == log_)) return;
    // What was committed goes where it belongs, if that still has a name.
    sqlite3_wal_checkpoint_v2(handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    unlink(log.c_str());
    unlink((path_.string() + "-shm").c_str());
  } catch (const std::bad_alloc&) {
    // The names need memory.
  }
}

std::string Database::first_bytes(int count) const {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 size = 0;
  if (file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xFileSize(file, &size) != SQLITE_OK) {
    throw cannot("read", path_, "its size is unknown");
  }
  std::string bytes(static_cast<std::size_t>(std::min<sqlite3_int64>(size, count)), '\0');
  if (!bytes.empty() &&
      file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0) != SQLITE_OK) {
    throw cannot("read", path_, "reading its first bytes failed");
  }
  return bytes;
}

void Database::fail() const {
  const int code = sqlite3_errcode(handle()) & 0xff;
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
    throw damaged(path_, sqlite3_errmsg(handle()));
  }
  throw cannot(writes_ ? "write" : "read", path_, reason(handle()));
}

namespace {

// Ends a transaction without its changes. After some errors SQLite has done that already.
void roll_back(const Database& database) noexcept {
  if (sqlite3_get_autocommit(database.handle()) == 0)
    sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace

Transaction::Transaction(Database& database) : database_(database) {
  // An earlier one stays open if there was no memory even to roll it back.
  roll_back(database_);
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() { roll_back(database_); }

void Transaction::commit() { database_.execute("COMMIT"); }

}  // namespace splitgp::store
