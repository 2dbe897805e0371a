#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace splitgp {

/// A thread that trains while its owner goes on. The owner prepares a job, starts it, and finds it
/// done at some later row; what the job reads and writes is the thread's in between. Neither waits
/// for the other unless asked to, and starting neither allocates nor frees. The one lock, which
/// puts a thread to sleep and wakes it, is never held while anything is computed.
class TrainingThread {
 public:
  /// `job` is what each start() has done.
  explicit TrainingThread(std::function<void()> job);
  /// Lets a running job finish.
  ~TrainingThread();
  TrainingThread(const TrainingThread&) = delete;
  TrainingThread& operator=(const TrainingThread&) = delete;

  /// Nothing is running, and no outcome waits to be taken.
  bool is_idle() const { return stage() == Stage::idle; }
  /// Starts the job and returns true, if the thread is idle.
  bool start();
  /// True once for each job that is done.
  bool take();
  /// Waits for a running job.
  void wait() const;

 private:
  enum class Stage { idle, working, done };
  Stage stage() const { return stage_.load(std::memory_order_acquire); }
  void enter(Stage next);
  void work();

  std::function<void()> job_;
  std::atomic<Stage> stage_ = Stage::idle;
  // Not std::atomic's wait(): it keeps its waiters in a static table, of which each compilation of
  // the core (core/api/choose_core.cc) has its own, and a thread of one is not woken by another.
  mutable std::mutex sleeping_;
  mutable std::condition_variable changed_;
  bool stopping_ = false;  // under sleeping_
  std::thread thread_;     // last: the rest outlives it
};

}  // namespace splitgp
