#pragma once

#include <atomic>

namespace splitgp {

/// An atomic value that is copied with its owner. Threads may read it while one writes it, and then
/// see what that thread has written before.
template <typename T>
class CopyableAtomic {
 public:
  explicit CopyableAtomic(T value) : value_(value) {}
  CopyableAtomic(const CopyableAtomic& other) noexcept : value_(other.load()) {}
  CopyableAtomic& operator=(const CopyableAtomic& other) noexcept {
    store(other.load());
    return *this;
  }
  T load() const { return value_.load(std::memory_order_acquire); }
  void store(T value) { value_.store(value, std::memory_order_release); }

 private:
  std::atomic<T> value_;
};

}  // namespace splitgp
