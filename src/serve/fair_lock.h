#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace splitgp::serve {

/// One writer or many readers, in the order they came: a reader waits for the writers before it and
/// never for a later one, so no longer than one update if a writer unlocks after each; a writer
/// waits only for those before it, however many readers follow. (std::shared_mutex promises
/// neither: with glibc, readers that overlap keep a writer out for ever.)
class FairLock {
 public:
  void lock() {
    std::unique_lock<std::mutex> hold(mutex_);
    const std::uint64_t ticket = next_++;
    turn_.wait(hold, [&] { return serving_ == ticket && readers_ == 0; });
  }
  void unlock() {
    const std::lock_guard<std::mutex> hold(mutex_);
    ++serving_;
    turn_.notify_all();
  }
  void lock_shared() {
    std::unique_lock<std::mutex> hold(mutex_);
    const std::uint64_t ticket = next_++;
    turn_.wait(hold, [&] { return serving_ == ticket; });
    ++readers_;
    ++serving_;
    if (next_ != serving_) turn_.notify_all();  // the next one may be a reader too
  }
  void unlock_shared() {
    const std::lock_guard<std::mutex> hold(mutex_);
    if (--readers_ == 0 && next_ != serving_) turn_.notify_all();
  }
  /// How many wait behind the writer that holds it. For tests.
  int waiting() {
    const std::lock_guard<std::mutex> hold(mutex_);
    return static_cast<int>(next_ - serving_) - 1;
  }

 private:
  std::mutex mutex_;
  std::condition_variable turn_;
  std::uint64_t next_ = 0;     // the ticket of the next one to come
  std::uint64_t serving_ = 0;  // whose turn it is
  int readers_ = 0;
};

}  // namespace splitgp::serve
