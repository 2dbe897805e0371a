// How a local GP takes its memory in advance, and gets a new θ without anyone waiting for it.
#include <cassert>
#include <utility>

#include "core/base/operations.h"
#include "core/local_gp/local_gp.h"

namespace splitgp {

using Eigen::Index;

// Every page is written to: the first touch of one may take milliseconds.
void LocalGp::reserve() {
  const Index before = inputs_.rows();
  if (before < most_points_) grow(most_points_);
  const Index spare = inputs_.rows() - before;
  inputs_.bottomRows(spare).setZero();
  outputs_.bottomRows(spare).setZero();
  solved_.bottomRows(spare).setZero();
  noise_variance_.tail(spare).setZero();
  if (backward_.columns.rows() != inputs_.rows() || backward_.columns.cols() != outputs_.cols()) {
    backward_.columns.setZero(inputs_.rows(), outputs_.cols());
    backward_.version.store(0);
  }
  // grow() reserves these only when it is called, and a copy has no spare capacity.
  sequence_.reserve(static_cast<std::size_t>(most_points_));
  owned_.reserve(static_cast<std::size_t>(most_points_));
  factor_.reserve(most_points_);
  factor_.touch();
  reserved_ = true;
}

void LocalGp::clear(ThetaPointer theta) {
  theta_ = std::move(theta);
  n_owned_ = 0;
  center_.setZero();
  sequence_.clear();
  owned_.clear();
  factor_.clear();
  awake_.store(true);
  used = true;
  changed = false;
  end_renewal();
}

void LocalGp::begin_renewal(Renewal& renewal) {
  assert(!dormant());
  renewal.factor.clear();
  renewal_.set(&renewal);
}

void LocalGp::exchange(Renewal& renewal) {
  std::swap(theta_, renewal.theta);
  std::swap(factor_, renewal.factor);
  solved_.swap(renewal.solved);
  jittered_.swap(renewal.jittered);
}

bool LocalGp::renew(std::uint64_t most, Workspace& workspace) {
  Renewal& renewal = *renewal_.get();
  const std::uint64_t began = operations_done;
  exchange(renewal);
  try {
    while (factor_.size() < size() && operations_done - began < most) {
      const Index row = factor_.size();
      renewal.x = inputs_.row(row).transpose();
      append_to_factor(row, renewal.x, workspace);
    }
  } catch (...) {
    exchange(renewal);
    end_renewal();
    throw;
  }
  if (factor_.size() < size()) {
    exchange(renewal);
    return false;
  }
  end_renewal();
  recompute_center();
  return true;
}

}  // namespace splitgp
