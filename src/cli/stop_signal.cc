#include "cli/stop_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace splitgp {
namespace {

// The only state that a signal handler may touch.
volatile sig_atomic_t received_signal = 0;
std::array<int, 2> wake_pipe{-1, -1};

extern "C" void handle_stop_signal(int signal) {
  const int saved = errno;
  received_signal = signal;
  const char byte = 0;
  // A full pipe is readable already, which is all that matters.
  [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], &byte, 1);
  errno = saved;
}

constexpr std::array kSignals{SIGINT, SIGTERM};

}  // namespace

StopSignal::StopSignal() {
  // Not pipe2, which macOS does not have.
  if (::pipe(wake_pipe.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  for (const int end : wake_pipe) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  received_signal = 0;
  struct sigaction action {};
  action.sa_handler = handle_stop_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

StopSignal::~StopSignal() {
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  for (int& end : wake_pipe) {
    ::close(end);
    end = -1;
  }
}

int StopSignal::received() const { return received_signal; }
int StopSignal::descriptor() const { return wake_pipe[0]; }

}  // namespace splitgp
