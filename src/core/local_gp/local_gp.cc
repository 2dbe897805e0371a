#include "core/local_gp/local_gp.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "splitgp/error.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

LocalGp::LocalGp(Index inputs, Index outputs, ThetaPointer theta, const Options& options)
    : theta_(std::move(theta)),
      most_points_(Index{options.capacity} + 2),
      inherit_(options.comparison.inherit),
      direction_(options.comparison.principal_direction),
      split_space_(options.comparison.split_space),
      center_(VectorXd::Zero(inputs)),
      inputs_(0, inputs),
      outputs_(0, outputs),
      solved_(0, outputs) {}

LocalGp LocalGp::restore(Points points, ThetaPointer theta, const Options& options) {
  LocalGp local(points.inputs.cols(), points.outputs.cols(), std::move(theta), options);
  const Index n = std::ssize(points.sequence);
  local.inputs_ = std::move(points.inputs);
  local.outputs_ = std::move(points.outputs);
  local.noise_variance_ = std::move(points.noise_variance);
  local.jittered_.assign(static_cast<std::size_t>(n), 0);
  local.solved_.resize(n, local.outputs_.cols());
  local.sequence_ = std::move(points.sequence);
  local.owned_ = std::move(points.owned);
  local.recompute_center();
  local.awake_.store(n == 0);
  return local;
}

LocalGp::Points LocalGp::points() const {
  return {inputs(), outputs(), noise_variance(), sequence_, owned_};
}

LocalGp LocalGp::outline() const {
  LocalGp result = *this;
  result.sleep();
  result.inherit_ = false;
  result.keep_owned();
  const Index n = result.size();
  result.inputs_.conservativeResize(n, Eigen::NoChange);
  result.outputs_.conservativeResize(n, Eigen::NoChange);
  result.solved_.resize(n, outputs_.cols());
  result.noise_variance_.conservativeResize(n);
  result.jittered_.assign(static_cast<std::size_t>(n), 0);
  return result;
}

void LocalGp::wake() {
  if (!dormant()) return;
  factor_.reserve(inputs_.rows());
  factorise();
  awake_.store(true);
}

// No local GP is a const object: they lie in a Partition.
void LocalGp::wake_for_reading() const { const_cast<LocalGp*>(this)->wake(); }

void LocalGp::sleep() {
  awake_.store(false);
  factor_ = GrowingCholesky();
  backward_ = Backward();
}

// From the points only: another thread may be building this one's factor.
LocalGp LocalGp::awake_copy() const {
  LocalGp copy(inputs_.cols(), outputs_.cols(), theta_, Options{});
  copy.inputs_ = inputs();
  copy.outputs_ = outputs();
  copy.noise_variance_ = noise_variance();
  copy.sequence_ = sequence_;
  copy.owned_ = owned_;
  copy.jittered_.resize(sequence_.size());
  copy.solved_.resize(size(), outputs_.cols());
  copy.factorise();
  return copy;
}

LocalGp::Step LocalGp::look_ahead(const Observation& observation, Workspace& workspace,
                                  SolvedRow known) {
  assert(!dormant());
  return solve_row(place(observation), observation.x, workspace, known);
}

void LocalGp::append(const Observation& observation, const Step& step, Workspace& workspace) {
  factor_.append_solved(workspace.reserve(size(), 1).col(0), step.deviation);
  own_last(observation);
}

void LocalGp::take_note(const Observation& observation) {
  assert(dormant());
  place(observation);
  own_last(observation);
}

// The observation in the first spare row becomes a point of its own; moves the center.
void LocalGp::own_last(const Observation& observation) {
  sequence_.push_back(observation.sequence);
  owned_.push_back(1);
  ++n_owned_;
  center_ += (observation.x - center_) / static_cast<double>(n_owned_);
  if (direction_ == PrincipalDirection::oja) oja_.follow(in_split_space(observation.x - center_));
}

// Writes an observation into the first spare row and returns its number.
Index LocalGp::place(const Observation& observation) {
  const Index row = size();
  if (row == inputs_.rows()) grow(std::min(most_points_, std::max<Index>(8, 2 * row)));
  inputs_.row(row) = observation.x.transpose();
  outputs_.row(row) = observation.y.transpose();
  noise_variance_(row) = observation.noise_variance;
  return row;
}

// Computes row `row` of z, and of the factor in the workspace and the step's deviation, from x and
// the inputs and outputs already stored. Throws before anything changes.
LocalGp::Step LocalGp::solve_row(Index row, const Eigen::Ref<const VectorXd>& x,
                                 Workspace& workspace, SolvedRow known) {
  assert(row == factor_.size());
  const Hyperparameters& theta = theta_->values;
  auto w = workspace.reserve(row, 1).col(0);
  if (known.w != nullptr && known.factor_version == factor_.version()) {
    w = Eigen::Map<const VectorXd>(known.w, row);
  } else {
    theta_->kernel.squared_distances(inputs_.topRows(row), x, w);
    theta_->kernel.values_in_place(w.array());
    factor_.solve_lower(w);
  }

  const double lifted = lift_noise(row);
  const double diagonal =
      theta.signal_variance + theta.noise_variance + noise_variance_(row) + lifted;
  const double pivot_squared = diagonal - w.squaredNorm();
  const double jitter = lift_pivot(pivot_squared, diagonal);
  const double pivot = std::sqrt(pivot_squared + jitter);
  jittered_[static_cast<std::size_t>(row)] = lifted + jitter > 0.0 ? 1 : 0;
  for (Index o = 0; o < outputs_.cols(); ++o) {
    const double residual = (outputs_(row, o) - theta_->prior_mean(o, x)) / theta.output_scale(o);
    solved_(row, o) = (residual - w.dot(solved_.col(o).head(row))) / pivot;
  }
  return {pivot, lifted + jitter};
}

void LocalGp::append_to_factor(Index row, const Eigen::Ref<const VectorXd>& x, Workspace& workspace,
                               SolvedRow known) {
  const Step step = solve_row(row, x, workspace, known);
  factor_.append_solved(workspace.reserve(row, 1).col(0), step.deviation);
}

// Noise below 1e-12 of the signal variance is raised to that. Smooth kernels without noise give
// matrices with eigenvalues below rounding, whose factors may have decent pivots and still be
// meaningless; with the floor, cond(K) stays below 1e12·m. It has to apply to every row: jitter on
// the bad pivots alone leaves the eigenvalues of the good ones, and means that are wrong by orders
// of magnitude.
double LocalGp::lift_noise(Index row) const {
  const Hyperparameters& theta = theta_->values;
  return std::max(0.0, 1e-12 * theta.signal_variance - theta.noise_variance - noise_variance_(row));
}

// A pivot² below the rounding error of its own computation is meaningless. The ladder adds the
// first jitter, relative to the signal variance, that lifts it clear of that; for one row this
// equals a little more noise on that observation, so the other points are not disturbed.
double LocalGp::lift_pivot(double pivot_squared, double diagonal) const {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double signal = theta_->values.signal_variance;
  const double rounding = kEpsilon * (10.0 * static_cast<double>(size() + 1) * signal + diagonal);
  if (pivot_squared > rounding) return 0.0;
  for (double rung = 1e-10; rung <= 1e-4; rung *= 10.0) {
    if (pivot_squared + rung * signal > rounding) return rung * signal;
  }
  throw NumericalError(
      "the kernel matrix of a local GP is not positive definite, even with jitter");
}

// Looks at the first `rows` rows, of which the last may be an observation that is not a point yet.
LocalGp::Farthest LocalGp::farthest_borrowed(Index rows, Workspace& workspace) const {
  auto squared_distance = workspace.reserve(rows, 1).col(0);
  theta_->kernel.squared_distances(inputs_.topRows(rows), center_, squared_distance);
  Farthest farthest;
  farthest.squared_distance_of_last = squared_distance(rows - 1);
  for (Index j = 0; j < size(); ++j) {
    if (owns(j) || !(squared_distance(j) > farthest.squared_distance)) continue;
    farthest.point = j;
    farthest.squared_distance = squared_distance(j);
  }
  return farthest;
}

std::optional<std::uint64_t> LocalGp::make_room(Workspace& workspace) {
  if (size() <= capacity() + 1) return std::nullopt;
  const Index farthest = farthest_borrowed(size(), workspace).point;
  const std::uint64_t displaced = sequence(farthest);
  remove(farthest);
  return displaced;
}

bool LocalGp::borrow(const Observation& observation, Workspace& workspace,
                     std::optional<std::uint64_t>& displaced, SolvedRow known) {
  const Index row = place(observation);
  Farthest farthest;
  if (row > capacity()) {
    farthest = farthest_borrowed(row + 1, workspace);
    if (!(farthest.squared_distance > farthest.squared_distance_of_last)) return false;
  }
  try {
    if (!dormant()) append_to_factor(row, observation.x, workspace, known);
  } catch (const NumericalError&) {
    return false;  // its owner has it
  }
  sequence_.push_back(observation.sequence);
  owned_.push_back(0);
  if (farthest.point < 0) return true;
  displaced = sequence(farthest.point);
  remove(farthest.point);
  return true;
}

void LocalGp::remove(Index j) {
  const Index n = size();
  if (!dormant()) factor_.remove(j, solved_.topRows(n));
  if (Renewal* const renewal = renewal_.get(); renewal != nullptr && j < renewal->factor.size()) {
    const Index rows = renewal->factor.size();
    renewal->factor.remove(j, renewal->solved.topRows(rows));
    std::move(renewal->jittered.begin() + j + 1, renewal->jittered.begin() + rows,
              renewal->jittered.begin() + j);
  }
  const auto close_gap = [&](auto&& column) {
    std::move(column.data() + j + 1, column.data() + n, column.data() + j);
  };
  for (Index k = 0; k < inputs_.cols(); ++k) close_gap(inputs_.col(k));
  for (Index o = 0; o < outputs_.cols(); ++o) close_gap(outputs_.col(o));
  close_gap(noise_variance_);
  std::move(jittered_.begin() + j + 1, jittered_.begin() + n, jittered_.begin() + j);
  if (owns(j)) --n_owned_;
  sequence_.erase(sequence_.begin() + j);
  owned_.erase(owned_.begin() + j);
}

void LocalGp::refit(ThetaPointer theta) {
  theta_ = std::move(theta);
  if (!dormant()) factorise();
  recompute_center();
}

// All points at once, in blocks; row by row, with the ladder, only if that meets a bad pivot.
void LocalGp::factorise() {
  const Index n = size();
  const Hyperparameters& theta = theta_->values;
  Eigen::MatrixXd K(n, n);
  theta_->kernel.lower_triangle(inputs(), K);
  for (Index j = 0; j < n; ++j) {
    const double lifted = lift_noise(j);
    jittered_[static_cast<std::size_t>(j)] = lifted > 0.0 ? 1 : 0;
    K(j, j) += theta.noise_variance + noise_variance_(j) + lifted;
  }
  const double rounding = std::numeric_limits<double>::epsilon() * 10.0 *
                          static_cast<double>(n + 1) * theta.signal_variance;
  factor_.clear();
  Eigen::MatrixXd no_cross(0, n);
  if (factor_.append_block(no_cross, K, rounding)) {
    for (Index o = 0; o < outputs_.cols(); ++o) {
      for (Index j = 0; j < n; ++j) {
        solved_(j, o) =
            (outputs_(j, o) - theta_->prior_mean(o, inputs_.row(j))) / theta.output_scale(o);
      }
    }
    factor_.solve_lower(solved_.topRows(n));
    return;
  }
  Workspace workspace;
  factor_.clear();
  for (Index row = 0; row < n; ++row)
    append_to_factor(row, inputs_.row(row).transpose(), workspace);
}

void LocalGp::grow(Index rows) {
  inputs_.conservativeResize(rows, Eigen::NoChange);
  outputs_.conservativeResize(rows, Eigen::NoChange);
  solved_.conservativeResize(rows, Eigen::NoChange);
  if (backward_.columns.size() > 0) backward_.columns.resize(rows, outputs_.cols());
  noise_variance_.conservativeResize(rows);
  jittered_.resize(static_cast<std::size_t>(rows));
  sequence_.reserve(static_cast<std::size_t>(rows));
  owned_.reserve(static_cast<std::size_t>(rows));
  if (!dormant()) factor_.reserve(rows);
}

Index LocalGp::jittered() const {
  return dormant() ? 0 : std::count(jittered_.begin(), jittered_.begin() + size(), 1);
}

std::size_t LocalGp::memory_bytes() const {
  const Index doubles = center_.size() + inputs_.size() + outputs_.size() + noise_variance_.size() +
                        solved_.size() +
                        (backward_.version.load() == 0 ? 0 : backward_.columns.size());
  return sizeof(*this) + static_cast<std::size_t>(doubles) * sizeof(double) +
         sequence_.capacity() * sizeof(std::uint64_t) + owned_.capacity() + jittered_.capacity() +
         (dormant() ? 0 : factor_.memory_bytes()) + oja_.memory_bytes();
}

}  // namespace splitgp
