#pragma once

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace splitgp::testing {

/// A process that runs `work` and reports numbers through a pipe until it is killed.
class Victim {
 public:
  using Report = std::function<void(std::uint64_t)>;

  explicit Victim(const std::function<void(const Report&)>& work) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("fork failed");
    if (process_ == 0) {
      close(ends[0]);
      int status = 1;
      try {
        work([&](std::uint64_t number) {
          if (write(ends[1], &number, sizeof number) != sizeof number) _exit(2);
        });
        status = 0;
      } catch (...) {
      }
      _exit(status);
    }
    close(ends[1]);
    reports_ = ends[0];
  }

  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  ~Victim() {
    kill();
    close(reports_);
  }

  /// The next number it reported; false if it is dead and has reported no more.
  bool next(std::uint64_t& number) {
    return read(reports_, &number, sizeof number) == sizeof number;
  }

  /// SIGKILL. False if it had ended by itself.
  bool kill() {
    if (process_ == 0) return killed_;
    ::kill(process_, SIGKILL);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    killed_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return killed_;
  }

 private:
  pid_t process_ = 0;
  int reports_ = -1;
  bool killed_ = false;
};

}  // namespace splitgp::testing
