#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace splitgp::serve {

/// Threads for what takes longer than a connection's thread should be kept: large predictions, the
/// report, a snapshot. What waits is bounded.
class Workers {
 public:
  Workers(int threads, std::size_t most_waiting);
  ~Workers() { join(); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// False if too much waits already.
  bool submit(std::function<void()> task);
  /// Finishes what has been taken, and takes no more.
  void join();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::size_t most_waiting_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace splitgp::serve
