#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "splitgp/model_file.h"

namespace splitgp::serve {

/// What one row did, as the thread that learns tells it. The references are valid during the call.
struct LearnedRow {
  std::uint64_t sequence = 0;  ///< Of a rejected outlier: the number that the next one will have.
  std::span<const double> x;   ///< The model's inputs.
  std::span<const double> y;   ///< Its outputs.
  /// What was predicted before it was learned, one value for each output. `sd` is that of an
  /// observation, noise included; `lower` and `upper` are the ends of the 95 % interval.
  std::span<const double> mean, sd, lower, upper;
  std::span<const double> z;               ///< The innovations (UpdateResult::innovation).
  const Prediction* prediction = nullptr;  ///< The same, whole.
  bool interval_known = true;  ///< false: before the first training, intervals are placeholders.
  Eigen::Index local_gp = 0;   ///< Where it was routed.
  Eigen::Index local_gps = 0;  ///< How many there are now.
  bool split = false;
  bool trained = false;
  bool outlier = false;
  bool rejected = false;  ///< An outlier that was not learned.
  std::span<const Alarm> alarms;
  double time = 0.0;  ///< Seconds since 1970-01-01 UTC, when it was learned.
};

/// Is told what happens to the model, by the one thread that changes it, which holds the model
/// meanwhile: calls must be quick, must not ask for the model themselves, and must not throw.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void learned(const LearnedRow&) {}
  /// A row of a request that could not be learned.
  virtual void rejected(const std::string& /*reason*/) {}
  /// A row that was only predicted, because its target was not there (`/rows`).
  virtual void predicted() {}
  /// A row that comes before the first one that its lags reach back to.
  virtual void early() {}
  /// How many more rows wait for the target that a later row brings (`--horizon`). −1: it has come;
  /// learned(), rejected() or predicted() is called for the row as well.
  virtual void waiting(int /*more*/) {}
  virtual void forgot(const ForgetResult&) {}
  /// The model was made or opened. Before any other call.
  virtual void began(const ModelFile&) {}
  /// Just before a commit: the time to write notes. Without the model's lock, as readers go on.
  virtual void before_commit(ModelFile&) {}
  /// Whether there is something that before_commit() has put off: when nothing comes for a second,
  /// there is one more commit.
  virtual bool unsaved() const { return false; }
  /// The next commit is the last one.
  virtual void ending() {}
  /// What was learned so far is on the disk now.
  virtual void committed() {}
};

}  // namespace splitgp::serve
