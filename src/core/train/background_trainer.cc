#include "core/train/background_trainer.h"

#include <exception>
#include <utility>

#include "core/base/factor_memory.h"

namespace splitgp {

BackgroundTrainer::BackgroundTrainer()
    : thread_([this](std::stop_token stopping) { work(stopping); }) {}

BackgroundTrainer::~BackgroundTrainer() =
    default;  // ~jthread asks the thread to stop, then joins it

bool BackgroundTrainer::start(TrainingSet set, TrainingPlan plan) {
  {
    const std::lock_guard lock(mutex_);
    if (job_ || training_ || result_) return false;
    job_.emplace(std::move(set), std::move(plan));
  }
  changed_.notify_all();
  return true;
}

std::optional<TrainResult> BackgroundTrainer::take() {
  // The worker holds the mutex only briefly, never while it trains.
  const std::lock_guard lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

std::optional<TrainResult> BackgroundTrainer::wait_and_take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_ && !training_; });
  return std::exchange(result_, std::nullopt);
}

bool BackgroundTrainer::busy() const {
  const std::lock_guard lock(mutex_);
  return job_ || training_ || result_;
}

void BackgroundTrainer::work(std::stop_token stopping) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stopping, [this] { return job_.has_value(); })) {
    const Job job = std::move(*job_);
    job_.reset();
    training_ = true;
    lock.unlock();
    std::optional<TrainResult> result;
    try {
      result = train(job.set, job.plan);
    } catch (const std::exception&) {
      // No memory even to say that there was none. θ stays, and the training is due again.
    }
    factor_memory::touch_ahead();
    lock.lock();
    training_ = false;
    result_ = std::move(result);
    changed_.notify_all();
  }
}

}  // namespace splitgp
