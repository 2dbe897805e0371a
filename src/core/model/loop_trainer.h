#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/partition/partition.h"
#include "core/train/stream_knowledge.h"

namespace splitgp {

struct ModelState;

/// Trains beside a control loop. The loop's thread never waits for it, and neither allocates nor
/// frees: it copies the points of one local GP with every update into memory that exists already,
/// hands them over with one store, and later finds the new θ made, a pointer. The one lock it
/// takes, to wake the other thread, is never held while anything is computed. All else, drawing the
/// training set too, is done by a thread of its own.
///
/// The copy is not of one moment: an observation may be in it twice, or be missing, if it changed
/// hands meanwhile. Train looks at a sample anyway.
class LoopTrainer {
 public:
  /// For models with up to `local_gps` local GPs. Starts the thread.
  LoopTrainer(const ModelState& model, Eigen::Index local_gps);
  /// Lets a running training finish and drops its result.
  ~LoopTrainer();
  LoopTrainer(const LoopTrainer&) = delete;
  LoopTrainer& operator=(const LoopTrainer&) = delete;

  /// What the loop's thread does with it, in this order.
  bool is_idle() const { return stage() == Stage::idle; }
  void begin(Due due, const ModelState& model);
  bool is_copying() const { return stage() == Stage::copying; }
  /// Copies one local GP, O(capacity·(d + p)), or hands over if there are no more.
  void copy_next(const ModelState& model);
  bool has_finished() const { return stage() == Stage::finished; }

  struct Outcome {
    Due due = Due::nothing;
    TrainResult result;
    std::shared_ptr<Theta> theta;  // made, if it is to be adopted
  };
  /// REQUIRES: has_finished().
  Outcome& outcome() { return outcome_; }
  /// The outcome has been taken.
  void release() { stage_.store(Stage::idle, std::memory_order_release); }

  /// Waits for a running training.
  void wait() const;
  /// Has the other thread free a θ, once no local GP has it any more.
  void retire(const ThetaPointer& theta);

  std::size_t memory_bytes() const;

 private:
  enum class Stage { idle, copying, training, finished };
  Stage stage() const { return stage_.load(std::memory_order_acquire); }

  // The points of one local GP; rows beyond `count` are spare.
  struct Copy {
    Eigen::MatrixXd inputs, outputs;
    Eigen::VectorXd noise_variance;
    std::vector<std::uint64_t> sequence;
    std::vector<std::uint8_t> owned;
    Eigen::Index count = 0;
  };
  // The part of StreamKnowledge that a training needs.
  struct Known {
    explicit Known(const StreamKnowledge& knowledge);
    void copy(const StreamKnowledge& knowledge);
    StreamKnowledge whole() const;

    LengthScaleGroups groups;
    ThetaPointer theta;
    bool theta_given;
    std::uint64_t observations;
    StreamStatistics input_statistics, output_statistics;
    TrainingSchedule schedule;
    Surprise surprise;
    // Of the history: the last training, and the one that made θ before the present regime.
    bool any_history = false;
    TrainResult last, before;
  };

  void work();
  void enter(Stage next);
  void train_copy();
  Partition copied_partition() const;
  void free_retired();

  Options options_;
  Known known_;
  Due due_ = Due::nothing;
  std::vector<Copy> copies_;
  Eigen::Index copied_ = 0;
  Outcome outcome_;
  std::vector<ThetaPointer> retired_;        // the loop's thread adds to it …
  std::vector<ThetaPointer> being_retired_;  // … and hands it over with a training

  std::atomic<Stage> stage_ = Stage::idle;
  // Only for going to sleep and waking up: nobody holds it while anything is computed. Not
  // std::atomic's wait(): it keeps its waiters in a static table, of which each compilation of the
  // core (core/api/choose_core.cc) has its own, and a thread of one is not woken by another.
  mutable std::mutex sleeping_;
  mutable std::condition_variable changed_;
  bool stopping_ = false;  // under sleeping_
  std::thread thread_;     // last: the rest outlives it
};

}  // namespace splitgp
