#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/background_trainer.h"
#include "core/centers.h"
#include "core/local_gp.h"
#include "core/stream_statistics.h"
#include "core/theta.h"
#include "core/training_schedule.h"
#include "splitgp/options.h"
#include "splitgp/results.h"

namespace splitgp {

/// What a SplittingGp holds: (𝒜, k_θ, m) of the paper, and its history.
struct ModelState {
  /// REQUIRES: options are checked and their hyperparameters complete.
  ModelState(Eigen::Index n_inputs, Eigen::Index n_outputs, Options checked)
      : options(std::move(checked)),
        inputs(n_inputs),
        outputs(n_outputs),
        theta(std::make_shared<Theta>(options.hyperparameters)),
        centers(n_inputs),
        input_statistics(n_inputs),
        output_statistics(n_outputs),
        schedule(n_inputs) {}

  Options options;
  Eigen::Index inputs;
  Eigen::Index outputs;
  ThetaPointer theta;
  bool theta_given = false;       // by the user: worth starting Train from
  std::deque<LocalGp> local_gps;  // 𝒜; a vector would move them all when it grows
  Centers centers;                // c_i, kept together for the search
  std::uint64_t next_sequence = 0;
  std::vector<SplitRecord> split_history;
  Eigen::Index refit_cursor = 0;   // local GPs before it have the current θ
  bool may_be_dormant = false;     // local GPs may be without their factors: it was loaded, or …
  Eigen::Index awake_limit = 0;    // … only so many may have them (core/waking.h); 0: all
  std::deque<Eigen::Index> awake;  // those who have, longest ago first; kept if there is a limit

  StreamStatistics input_statistics;
  StreamStatistics output_statistics;
  TrainingSchedule schedule;
  std::vector<TrainResult> training_history;
  // A copy of a model starts a trainer of its own when it needs one.
  struct OwnTrainer : std::unique_ptr<BackgroundTrainer> {
    OwnTrainer() = default;
    OwnTrainer(const OwnTrainer&) : OwnTrainer() {}
    OwnTrainer(OwnTrainer&&) = default;
    using std::unique_ptr<BackgroundTrainer>::operator=;
  } trainer;

  Workspace workspace;  // of update
};

}  // namespace splitgp
