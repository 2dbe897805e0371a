#include "store/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "store/database.h"

namespace splitgp::store {
namespace {

// Whether the path still refers to the open file: its last owner may have removed it.
bool same_file(int descriptor, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

WriterLock::WriterLock(const std::filesystem::path& model_file) : path_(model_file) {
  path_ += "-lock";
  for (;;) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
      throw cannot("write", model_file, std::generic_category().message(errno));
    }
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      close(descriptor_);
      throw cannot("open", model_file,
                   error == EWOULDBLOCK ? "it is in use by another writer"
                                        : std::generic_category().message(error));
    }
    if (same_file(descriptor_, path_)) return;
    close(descriptor_);
  }
}

WriterLock::~WriterLock() {
  // In this order: a process that opens the name after this creates a new file, and others will
  // notice.
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace splitgp::store
