#include "io/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace splitgp {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

}  // namespace

FileSource::FileSource(const std::filesystem::path& path, Waiter* waiter) : waiter_(waiter) {
  const bool standard_input = path == "-";
  name_ = standard_input ? "standard input" : path.string();
  descriptor_ = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw ReadError(name_ + ": " + reason(errno));
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    if (!standard_input) ::close(descriptor_);
    throw ReadError(name_ + ": " + reason(error));
  }
  if (S_ISDIR(status.st_mode)) {
    if (!standard_input) ::close(descriptor_);
    throw ReadError(name_ + ": is a directory");
  }
}

FileSource::~FileSource() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

std::size_t FileSource::read(char* to, std::size_t most) {
  while (true) {
    if (waiter_ != nullptr) wait();
    const ssize_t got = ::read(descriptor_, to, most);
    if (got >= 0) {
      position_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
    if (errno != EINTR && errno != EAGAIN) throw ReadError(name_ + ": " + reason(errno));
  }
}

void FileSource::wait() {
  std::array<pollfd, 2> descriptors{
      {{descriptor_, POLLIN, 0}, {waiter_->end_descriptor(), POLLIN, 0}}};
  // Check for the end even if bytes are available: the source may never run dry, and the line it is
  // in may never end.
  if (::poll(descriptors.data(), descriptors.size(), 0) > 0) {
    if (descriptors[1].revents != 0) throw WaitEnded();
    return;
  }
  waiter_->before_wait();
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    const int ready =
        ::poll(descriptors.data(), descriptors.size(), waiter_->milliseconds_to_idle());
    if (ready == 0) waiter_->idle();
    if (ready < 0 && errno != EINTR) throw ReadError(name_ + ": " + reason(errno));
    if (ready <= 0) continue;
    if (descriptors[1].revents != 0) throw WaitEnded();
    break;
  }
  waited_seconds_ +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace splitgp
