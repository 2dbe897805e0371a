#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/local_gp/local_gp.h"
#include "core/model/expiry.h"
#include "core/model/reserved.h"
#include "core/options/validate.h"
#include "core/partition/partition.h"
#include "core/train/background_trainer.h"
#include "core/train/stream_knowledge.h"
#include "core/watch/calibrator.h"
#include "core/watch/drift.h"
#include "core/watch/recent_alarms.h"
#include "splitgp/options.h"

namespace splitgp {

/// What a SplittingGp holds: (𝒜, k_θ, m) of the paper, and its history.
struct ModelState {
  /// REQUIRES: options are checked.
  ModelState(Eigen::Index n_inputs, Eigen::Index n_outputs, Options checked)
      : options(std::move(checked)),
        inputs(n_inputs),
        outputs(n_outputs),
        knowledge(groups_of(options, n_inputs), n_outputs,
                  starting_theta(options, n_inputs, n_outputs),
                  options.hyperparameters.has_value()),
        partition(n_inputs),
        calibrators(options.calibration == Calibration::none ? 0
                                                             : static_cast<std::size_t>(n_outputs)),
        drift(n_inputs, n_outputs, options.rows_per_false_alarm),
        local_scales(n_outputs),
        scores(static_cast<std::size_t>(n_outputs)),
        slabs(static_cast<std::size_t>(drift.slabs().of_row())) {
    if (forgets(options)) partition.holders.start();
  }

  Options options;
  Eigen::Index inputs;
  Eigen::Index outputs;
  StreamKnowledge knowledge;
  Partition partition;
  std::vector<Calibrator> calibrators;  // one for each output; none without calibration

  Drift drift;
  RecentAlarms alarms;
  std::uint64_t n_alarms = 0;  // all there ever were
  std::uint64_t rejected = 0;  // outliers that were not learned
  Expiry expiry;               // what max_age will forget, in order

  // A copied model starts a trainer of its own when it needs one.
  struct OwnTrainer : std::unique_ptr<BackgroundTrainer> {
    OwnTrainer() = default;
    OwnTrainer(const OwnTrainer&) : OwnTrainer() {}
    OwnTrainer(OwnTrainer&&) = default;
    using std::unique_ptr<BackgroundTrainer>::operator=;
  } trainer;

  OwnReserved reserved;  // with it, updates allocate nothing and do a bounded amount of work

  // For update.
  Workspace workspace;
  SplitWorkspace split_workspace;
  Eigen::VectorXd given_x, given_y;                         // for merging
  std::vector<Eigen::Index> inside, changed_cells, silent;  // for alarms
  std::vector<Neighbor> neighbors;
  Eigen::VectorXd local_scales;
  std::vector<Score> scores;
  std::vector<Eigen::Index> slabs;
  std::vector<Eigen::Index> found;  // for forgetting
  Prediction scored;  // the aggregated prediction that calibration looks at now and then
};

}  // namespace splitgp
