#include "store/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <system_error>
#include <vector>

namespace splitgp::store {
namespace {

// Whether the path still refers to the open file: its last owner may have removed it.
bool same_file(int descriptor, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// The model files that this process writes. Closing a descriptor of one drops the locks that SQLite
// has on it for the whole process (POSIX), so a file in this list is not even opened.
struct Held {
  std::mutex mutex;
  std::vector<FileIdentity> files;
};
Held& held() {
  static Held files;
  return files;
}

FileError in_use(const std::filesystem::path& model_file) {
  return cannot("open", model_file, "it is in use by another writer");
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& model_file)
    : model_file_(model_file), path_(model_file) {
  path_ += "-lock";
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      throw cannot("write", model_file, std::generic_category().message(errno));
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      if (error == EWOULDBLOCK) throw in_use(model_file);
      throw cannot("open", model_file, std::generic_category().message(error));
    }
    if (same_file(descriptor_, path_)) return;
    close(descriptor_);
  }
}

void WriterLock::hold_file() {
#ifdef __linux__  // elsewhere such a lock and SQLite's own would wait for each other
  const FileIdentity file = FileIdentity::of(model_file_);
  if (file.number == 0) return;  // opening it will fail, and say why
  const std::lock_guard lock(held().mutex);
  if (std::ranges::find(held().files, file) != held().files.end()) throw in_use(model_file_);
  struct stat found {};
  if (stat(model_file_.c_str(), &found) == 0 && found.st_nlink > 1) {
    throw cannot("open", model_file_,
                 "it has a second name (a hard link); remove one, or make it a copy");
  }
  held().files.reserve(held().files.size() + 1);
  const int descriptor = open(model_file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw cannot("open", model_file_, std::generic_category().message(errno));
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    close(descriptor);
    if (error == EWOULDBLOCK) throw in_use(model_file_);
    return;  // a file system without such locks
  }
  held().files.push_back(file);
  file_ = file;
  file_descriptor_ = descriptor;
#endif
}

WriterLock::~WriterLock() {
  if (file_descriptor_ >= 0) {
    const std::lock_guard lock(held().mutex);
    std::erase(held().files, file_);
    close(file_descriptor_);
  }
  // In this order: a process that opens the name after this creates a new file, and others will
  // notice.
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace splitgp::store
