#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace splitgp {

/// So that threads which predict at once build a dormant local GP's factor once: the one thing that
/// a const method changes, and no answer depends on it. Several locks, so that threads seldom wait
/// for one another; a copy of a model has its own.
class WakeLocks {
  static constexpr std::size_t kLocks = 16;

 public:
  WakeLocks() = default;
  WakeLocks(const WakeLocks&) : WakeLocks() {}
  WakeLocks& operator=(const WakeLocks&) { return *this; }

  using Held = std::array<std::unique_lock<std::mutex>, kLocks>;
  /// For who copies a model: nothing is built meanwhile.
  Held all() const {
    Held held;
    for (std::size_t i = 0; i < kLocks; ++i) held[i] = std::unique_lock(locks_[i]);
    return held;
  }

  std::mutex& of(std::ptrdiff_t local_gp) const {
    return locks_[static_cast<std::size_t>(local_gp) % kLocks];
  }

 private:
  mutable std::array<std::mutex, kLocks> locks_;
};

}  // namespace splitgp
