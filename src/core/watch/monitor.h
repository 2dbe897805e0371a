#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/experts/experts.h"
#include "core/kernel/theta.h"
#include "core/local_gp/local_gp.h"
#include "core/partition/partition_then.h"
#include "core/watch/drift.h"
#include "core/watch/reach_calibrator.h"
#include "core/watch/recent_alarms.h"
#include "core/watch/stream_statistics.h"
#include "splitgp/options.h"
#include "splitgp/results.h"

namespace splitgp {

/// What a row is measured by.
struct Yardstick {
  const Theta& theta;
  const StreamStatistics& inputs;
  /// Whether θ is in the units of the outputs. The first one is a placeholder unless it was given:
  /// an error measured by it would only show the unit. It stays if nothing trains it.
  bool in_units = false;
  /// Whether θ is more than a guess. While it is one, innovations say more about it than about the
  /// stream.
  bool trusted = false;
};

/// What the owner of a row found when it looked ahead at it.
struct LookedAhead {
  explicit LookedAhead(Eigen::Index outputs)
      : innovation(outputs),
        output_scale(outputs),
        local_scales(outputs),
        back(outputs),
        answered(outputs) {}

  Eigen::RowVectorXd innovation;  // of each output, in the deviations that were expected
  double deviation = 1.0;         // of an output of scale 1, noise included
  Eigen::VectorXd output_scale;   // by the owner's θ
  Eigen::VectorXd local_scales;   // ŝ², before the row
  LookedBack back;                // with less knowledge; only with calibration
  LookedBack answered;            // the same, as the experts would have changed it
};

enum class Verdict { learn, reject };

/// Watches the innovations: how far errors really reach (calibration), whether the stream changes
/// (drift), and whether a row is absurd (outliers).
struct Monitor {
  Monitor(const Options& options, Eigen::Index inputs, Eigen::Index outputs);

  /// Whether calibration wants to see the aggregated prediction before the row that comes after
  /// `ahead` more. The answer depends on the rows alone, so that predictions in between change
  /// nothing.
  bool wants_prediction(const Yardstick& by, Eigen::Index local_gps, std::uint64_t ahead = 0) const;

  /// Where the owner of a row notes what it would have expected with less knowledge, if that is
  /// asked for.
  LookedBack* looks_back() { return calibrators.empty() ? nullptr : &looked.back; }
  /// Notes what the owner of the row in hand has just found.
  void look(const LocalGp& owner, const LocalGp::Step& step);
  /// Judges the row by that: fills result.innovation and result.outlier, and gives
  /// the row to the detectors. An absurd row is rejected if the options say so and nothing suggests
  /// that the world has changed.  REQUIRES: the owner has not been split by this row.
  Verdict judge(const Observation& row, const Yardstick& by, UpdateResult& result);

  /// Calibrates. `before` is the aggregated prediction of the row, if wants_prediction(), and
  /// `local_gps` how many there were.
  void learn(const Observation& row, const Yardstick& by, const Prediction* before,
             Eigen::Index local_gps);

  /// What judge() found, if that is to raise an alarm.
  const std::optional<Drift::Found>& found() const { return found_; }
  /// Adds an alarm to `result`, with where the change is among the local GPs as they were `then`;
  /// those that changed are in `changed`. `local_scale` is the owner's, of that output.
  Alarm& raise(const PartitionThen& then, const Yardstick& by, double local_scale,
               UpdateResult& result);
  /// It is complete.
  void remember(const Alarm& alarm);
  /// Empties the alarms of an earlier row; their memory serves again.
  void take_back(std::vector<Alarm>& alarms_of_row);

  /// Takes the memory for models of up to so many local GPs.
  void reserve(Eigen::Index inputs, Eigen::Index local_gps);
  std::size_t memory_bytes(Eigen::Index inputs) const;

  /// One for each output; none without calibration.
  std::vector<ReachCalibrator> calibrators;
  std::optional<Experts> experts;  // not without calibration
  Drift drift;
  RecentAlarms alarms;
  std::uint64_t n_alarms = 0;         // all there ever were
  std::uint64_t rejected = 0;         // outliers that were not learned
  LookedAhead looked;                 // at the row in hand
  std::vector<Eigen::Index> changed;  // the local GPs that the last alarm is about

 private:
  const Calibrator& owners(std::size_t output) const {
    return experts ? calibrators[output].owners : calibrators[output].next;
  }
  void note_innovations(const Observation& row, const Yardstick& by, UpdateResult& result);
  double squared_innovation(const Observation& row, const Yardstick& by, const Prediction& before,
                            Eigen::Index output) const;
  double noise_deviation(const Yardstick& by, double local_scale, Eigen::Index output) const;
  void find_inside(const PartitionThen& then, const Yardstick& by, Eigen::Index group);

  bool conformal_;
  bool rejects_;
  std::optional<Drift::Found> found_;
  std::vector<Alarm> spare_;  // one, for the next that is raised
  // Scratch space.
  std::vector<Score> scores_;
  std::vector<Eigen::Index> slabs_, inside_, silent_;
};

}  // namespace splitgp
