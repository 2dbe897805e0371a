// What Split (core/partition/split.cc) asks of a local GP: where its observations lie, and to hand
// some over.
#include <cassert>

#include "core/base/operations.h"
#include "core/local_gp/local_gp.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

VectorXd LocalGp::in_split_space(const Eigen::Ref<const VectorXd>& difference) const {
  if (split_space_ == SplitSpace::raw) return difference;
  return difference.cwiseProduct(theta_->kernel.inverse_length_scale());
}

void SplitWorkspace::reserve(Index owned, Index inputs) {
  centered.resize(owned, inputs);
  along.resize(owned);
  direction.resize(inputs);
  leaves.reserve(static_cast<std::size_t>(owned));
  order.reserve(static_cast<std::size_t>(owned));
}

void LocalGp::centered_inputs(Eigen::MatrixXd& centered) const {
  centered.resize(owned(), inputs_.cols());
  Index row = 0;
  for (Index j = 0; j < size(); ++j) {
    if (owns(j)) centered.row(row++) = inputs_.row(j) - center_.transpose();
  }
  if (split_space_ == SplitSpace::scaled) {
    centered.array().rowwise() *= theta_->kernel.inverse_length_scale().transpose().array();
  }
}

VectorXd LocalGp::principal_direction() const {
  if (direction_ == PrincipalDirection::oja) return oja_.direction();
  return splitgp::principal_direction(centered_inputs());
}

LocalGp LocalGp::divide(const std::vector<bool>& leaves) {
  LocalGp second = *this;
  divide(leaves, second);
  return second;
}

void LocalGp::divide(const std::vector<bool>& leaves, LocalGp& second) {
  assert(std::ssize(leaves) == owned());
  count_operations(static_cast<Index>(factor_.memory_bytes() / sizeof(double)));
  // A copied vector has no spare capacity, so its next row would double it.
  if (!second.reserved_) second.grow(second.inputs_.rows());
  auto leaf = leaves.begin();
  for (std::size_t j = 0; j < owned_.size(); ++j) {
    if (owned_[j] == 0) continue;
    const bool leaving = *leaf++;
    owned_[j] = leaving ? 0 : 1;
    second.owned_[j] = leaving ? 1 : 0;
  }
  if (!inherit_) {
    keep_owned();
    second.keep_owned();
  }
  recompute_center();
  second.recompute_center();
}

// Drops all points that it does not own.
void LocalGp::keep_owned() {
  Index to = 0;
  for (Index from = 0; from < size(); ++from) {
    if (!owns(from)) continue;
    inputs_.row(to) = inputs_.row(from);
    outputs_.row(to) = outputs_.row(from);
    noise_variance_(to) = noise_variance_(from);
    sequence_[static_cast<std::size_t>(to)] = sequence(from);
    ++to;
  }
  sequence_.resize(static_cast<std::size_t>(to));
  owned_.assign(static_cast<std::size_t>(to), 1);
  if (!dormant()) factorise();
}

// From scratch, including Oja's rule: a split changes the owned inputs, a refit the space they are
// measured in.
void LocalGp::recompute_center() {
  center_.setZero();
  n_owned_ = 0;
  oja_ = OjaDirection();
  for (Index j = 0; j < size(); ++j) {
    if (!owns(j)) continue;
    ++n_owned_;
    center_ += (inputs_.row(j).transpose() - center_) / static_cast<double>(n_owned_);
    if (direction_ == PrincipalDirection::oja) {
      oja_.follow(in_split_space(inputs_.row(j).transpose() - center_));
    }
  }
}

}  // namespace splitgp
