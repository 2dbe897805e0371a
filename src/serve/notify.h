#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace splitgp::serve {

/// Tells systemd, if it started this process, that it is ready, alive or stopping: "READY=1". See
/// sd_notify(3); the protocol is one datagram, so no library is needed. Does nothing elsewhere.
void notify_manager(const std::string& state);

/// How often the manager wants to hear WATCHDOG=1, if it does: half of what it asked for.
std::optional<std::chrono::milliseconds> watchdog_interval();

}  // namespace splitgp::serve
