#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/train/stream_knowledge.h"

namespace splitgp {

struct ModelState;

/// What a training found.
struct TrainingOutcome {
  Due due = Due::nothing;
  TrainResult result;
  std::shared_ptr<Theta> theta;  // made, if it is to be adopted
};

/// Trains beside the thread that updates the model, which gathers what a training looks at, starts
/// it and later takes the outcome. What it looks at is drawn at once or, with bounded latency, by
/// the other thread from copies, which the updates make one local GP at a time in memory that
/// exists already: then the updating thread neither allocates nor frees.
class Trainer {
 public:
  Trainer();
  /// The copy of a model has nothing under way.
  Trainer(const Trainer&);
  Trainer(Trainer&&) noexcept;
  ~Trainer();

  /// From now on gathers in steps, from up to `local_gps` local GPs.  REQUIRES: is_idle().
  void reserve(const ModelState& model, Eigen::Index local_gps);
  /// Whether θ's first values too, which follow the scale of the data, are made beside.
  bool is_reserved() const;

  bool is_idle() const;
  /// REQUIRES: is_idle().
  void begin(Due due, const ModelState& model);
  bool is_gathering() const;
  /// Copies one local GP, O(capacity·(d + p)), or starts the training if there are no more.
  void gather_next(const ModelState& model);
  /// What has been found since, or null. It is valid until the next begin().
  TrainingOutcome* take();
  /// Waits for a running training.
  void wait() const;
  /// Has the other thread free a θ, once no local GP has it any more.
  void retire(const ThetaPointer& theta);

  std::size_t memory_bytes() const;

 private:
  struct Beside;
  std::unique_ptr<Beside> beside_;  // made when it is needed
};

}  // namespace splitgp
