#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace splitgp {

/// Locks that let predicting threads build a dormant local GP's factor only once. That is the one
/// thing a const method changes, and no answer depends on it. There are several locks, so that
/// threads seldom wait for one another; a copy of a model has its own.
class WakeLocks {
  static constexpr std::size_t kLocks = 16;

 public:
  WakeLocks() = default;
  WakeLocks(const WakeLocks&) : WakeLocks() {}
  WakeLocks& operator=(const WakeLocks&) { return *this; }

  using Held = std::array<std::unique_lock<std::mutex>, kLocks>;
  /// For copying a model: nothing is built meanwhile.
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
