#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/kernel/theta.h"
#include "core/train/training_set.h"
#include "rivals/exact_gp.h"
#include "rivals/rival_state.h"
#include "splitgp/results.h"

namespace splitgp::rivals {

/// What distinguishes one rival from another; Regressor has the rest. Inputs have been checked.
class Method {
 public:
  virtual ~Method() = default;

  /// Learns the columns of a batch in order.
  virtual void learn(const Batch& batch) = 0;
  /// Refits everything to θ.
  virtual void refit(const ThetaPointer& theta) = 0;
  /// Sets mean and variance (p × q) at the columns of X.  REQUIRES: n_local() > 0.
  virtual void predict(const Eigen::Ref<const Eigen::MatrixXd>& X, Prediction& result) const = 0;
  /// What Train looks at.
  virtual TrainingSet training_set(const RivalState& model) const = 0;

  virtual Eigen::Index n_local() const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace splitgp::rivals
