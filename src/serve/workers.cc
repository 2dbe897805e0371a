#include "serve/workers.h"

namespace splitgp::serve {

Workers::Workers(int threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

bool Workers::submit(std::function<void()> task) {
  const std::lock_guard<std::mutex> hold(mutex_);
  if (ending_ || tasks_.size() >= most_waiting_) return false;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void Workers::join() {
  {
    const std::lock_guard<std::mutex> hold(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::run() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock<std::mutex> hold(mutex_);
      changed_.wait(hold, [this] { return ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    // It answers itself whatever it can; without the memory for that, its connection ends.
    try {
      task();
    } catch (const std::exception&) {
    }
  }
}

}  // namespace splitgp::serve
