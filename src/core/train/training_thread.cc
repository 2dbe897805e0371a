#include "core/train/training_thread.h"

#include <utility>

namespace splitgp {

TrainingThread::TrainingThread(std::function<void()> job)
    : job_(std::move(job)), thread_([this] { work(); }) {}

TrainingThread::~TrainingThread() {
  {
    const std::lock_guard lock(sleeping_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool TrainingThread::start() {
  if (!is_idle()) return false;
  enter(Stage::working);
  return true;
}

bool TrainingThread::take() {
  if (stage() != Stage::done) return false;
  stage_.store(Stage::idle, std::memory_order_release);
  return true;
}

void TrainingThread::wait() const {
  std::unique_lock lock(sleeping_);
  changed_.wait(lock, [this] { return stage() != Stage::working; });
}

// The other thread may be asleep until then.
void TrainingThread::enter(Stage next) {
  {
    const std::lock_guard lock(sleeping_);
    stage_.store(next, std::memory_order_release);
  }
  changed_.notify_all();
}

void TrainingThread::work() {
  while (true) {
    {
      std::unique_lock lock(sleeping_);
      changed_.wait(lock, [this] { return stopping_ || stage() == Stage::working; });
      if (stopping_) return;
    }
    job_();
    enter(Stage::done);
  }
}

}  // namespace splitgp
