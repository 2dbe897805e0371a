#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "core/train/train.h"

namespace splitgp {

/// One thread that trains on copies. The model's thread hands it a training set and checks for a
/// result at every update; it never waits for one unless it asks to.
class BackgroundTrainer {
 public:
  BackgroundTrainer();
  /// Lets a running training finish and drops its result.
  ~BackgroundTrainer();
  BackgroundTrainer(const BackgroundTrainer&) = delete;
  BackgroundTrainer& operator=(const BackgroundTrainer&) = delete;

  /// Starts a training and returns true, unless one is running or its result has not been taken.
  bool start(TrainingSet set, TrainingPlan plan);

  /// The result, if there is a new one.
  std::optional<TrainResult> take();

  /// As take(), after waiting for a running training.
  std::optional<TrainResult> wait_and_take();

  bool busy() const;

 private:
  struct Job {
    TrainingSet set;
    TrainingPlan plan;
  };
  void work(std::stop_token stopping);

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Job> job_;  // handed over, not started
  bool training_ = false;
  std::optional<TrainResult> result_;  // finished, not taken
  std::jthread thread_;                // last: the rest outlives it
};

}  // namespace splitgp
