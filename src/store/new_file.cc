#include "store/new_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "store/model_writer.h"
#include "store/schema.h"
#include "store/table_rows.h"

namespace splitgp::store {
namespace {

FileError exists_already(const std::filesystem::path& path) {
  return cannot("create", path, "it already exists");
}

// SQLite's files beside a database.
void remove_companions(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    std::filesystem::remove(path.string() + suffix, ignored);
  }
}

// A unique name that is removed in the end, whatever happens.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path) : path_(path) {
    path_ += ".creating-" + std::to_string(getpid());
    remove();
    // For its owner alone: it will hold every observation, and SQLite gives its log the same mode.
    const int made = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made >= 0) close(made);  // else SQLite will report what is wrong with the directory
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    remove_companions(path_);
  }
  std::filesystem::path path_;
};

// Readers beside a writer, and commits that wait for the disk only once, need the write-ahead log.
void switch_to_log(const std::filesystem::path& path) {
  constexpr int kReadVersionAt = 19;  // 2: read it with its log
  Database database(path, Database::Mode::read_write);
  database.execute("PRAGMA journal_mode = WAL");
  if (database.first_bytes(kReadVersionAt + 1).back() != 2) {
    throw cannot("create", path, "its file system does not support SQLite's write-ahead log");
  }
}

// A new name is on disk only once its directory is.
void sync_directory_of(const std::filesystem::path& path) {
  const int directory = open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;  // not ours to read; the file itself is complete
  fsync(directory);
  close(directory);
}

void rename_without_replacing(const std::filesystem::path& from, const std::filesystem::path& to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == EEXIST) throw exists_already(to);
#endif
  // A process that is killed in between leaves two names for one file (WriterLock::hold_file).
  std::error_code error;
  std::filesystem::create_hard_link(from, to, error);
  if (error == std::errc::file_exists) throw exists_already(to);
  if (!error) return;
  // This file system has no hard links. The writer's lock keeps other writers away.
  if (std::filesystem::exists(to, error)) throw exists_already(to);
  std::filesystem::rename(from, to, error);
  if (error) throw cannot("create", to, error.message());
}

}  // namespace

void make_model_file(const std::filesystem::path& path, const ModelState& model,
                     const ModelFileOptions& options) {
  std::error_code ignored;  // SQLite will report what is wrong with the directory
  if (std::filesystem::exists(path, ignored)) throw exists_already(path);
  const TemporaryFile temporary(path);
  {
    Database database(temporary.path(), Database::Mode::create);
    // No rollback is needed for a file that is deleted if it cannot be finished.
    database.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = MEMORY");
    database.execute("PRAGMA secure_delete = ON");
    Transaction transaction(database);
    create_schema(database, model.inputs, model.outputs);
    ModelWriter writer(database, model.inputs, model.outputs, options.input_names,
                       options.output_names);
    writer.write_all(model);
    TableWriter notes(database, "note", 3, TableWriter::Same::replaces);
    for (const auto& [key, text] : options.notes) notes.add(key).add(text).write();
    transaction.commit();
  }
  switch_to_log(temporary.path());
  // The log of a killed process whose file was deleted: SQLite would apply it to the new one.
  remove_companions(path);
  rename_without_replacing(temporary.path(), path);
  sync_directory_of(path);
}

void copy_model_file(Database& database, const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) throw exists_already(path);
  const TemporaryFile temporary(path);
  std::string quoted;
  for (const char c : temporary.path().string()) quoted += c == '\'' ? "''" : std::string(1, c);
  database.execute("VACUUM INTO '" + quoted + "'");
  switch_to_log(temporary.path());
  remove_companions(path);
  rename_without_replacing(temporary.path(), path);
  sync_directory_of(path);
}

}  // namespace splitgp::store
