#include "serve/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace splitgp::serve {

void notify_manager(const std::string& state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || path[0] == '\0') return;
  sockaddr_un address{};
  const std::size_t length = std::strlen(path);
  if (length >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

std::optional<std::chrono::milliseconds> watchdog_interval() {
  const char* const text = std::getenv("WATCHDOG_USEC");
  if (text == nullptr) return std::nullopt;
  long long microseconds = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), microseconds);
  if (error != std::errc() || microseconds <= 0) return std::nullopt;
  return std::chrono::milliseconds(microseconds / 2000);
}

}  // namespace splitgp::serve
