#include "rivals/exact_gp.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "rivals/blocked_solve.h"

namespace splitgp::rivals {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Index kBlock = 128;    // rows that are factorised together
constexpr Index kQueries = 256;  // queries that are solved together

}  // namespace

ExactGp::ExactGp(Index inputs, Index outputs, ThetaPointer theta)
    : theta_(std::move(theta)),
      center_(VectorXd::Zero(inputs)),
      inputs_(0, inputs),
      outputs_(0, outputs),
      solved_(0, outputs) {}

void ExactGp::append(const Batch& batch) {
  const Index n = size();
  const Index b = batch.X.cols();
  grow_for(n + b);
  inputs_.middleRows(n, b) = batch.X.transpose();
  outputs_.middleRows(n, b) = batch.Y.transpose();
  noise_variance_.segment(n, b) = batch.noise_variance;
  for (Index i = 0; i < b; ++i) {
    sequence_.push_back(batch.sequence[static_cast<std::size_t>(i)]);
    center_ += (batch.X.col(i) - center_) / static_cast<double>(n + i + 1);
  }
  factorise_rest();
}

void ExactGp::remove(Index j) {
  assert(0 <= j && j < size());
  const Index n = size();
  factor_.remove(j, solved_.topRows(n));
  const auto close_gap = [&](auto&& column) {
    std::move(column.data() + j + 1, column.data() + n, column.data() + j);
  };
  for (Index k = 0; k < inputs_.cols(); ++k) close_gap(inputs_.col(k));
  for (Index o = 0; o < outputs_.cols(); ++o) close_gap(outputs_.col(o));
  close_gap(noise_variance_);
  sequence_.erase(sequence_.begin() + j);
  center_.setZero();
  for (Index i = 0; i < size(); ++i) {
    center_ += (inputs_.row(i).transpose() - center_) / static_cast<double>(i + 1);
  }
}

void ExactGp::refit(ThetaPointer theta) {
  theta_ = std::move(theta);
  factor_.clear();
  factorise_rest();
}

ExactGp ExactGp::subset(const std::vector<Index>& rows) const {
  ExactGp part(inputs_.cols(), outputs_.cols(), theta_);
  part.reserve(std::ssize(rows));
  for (Index to = 0; to < std::ssize(rows); ++to) {
    const Index from = rows[static_cast<std::size_t>(to)];
    part.inputs_.row(to) = inputs_.row(from);
    part.outputs_.row(to) = outputs_.row(from);
    part.noise_variance_(to) = noise_variance_(from);
    part.sequence_.push_back(sequence(from));
    part.center_ += (inputs_.row(from).transpose() - part.center_) / static_cast<double>(to + 1);
  }
  part.factorise_rest();
  return part;
}

// k between every row of `points` and every column of `columns`.
MatrixXd ExactGp::covariances(const Eigen::Ref<const MatrixXd>& points,
                              const Eigen::Ref<const MatrixXd>& columns) const {
  MatrixXd K(points.rows(), columns.cols());
  for (Index j = 0; j < columns.cols(); ++j) {
    theta_->kernel.squared_distances(points, columns.col(j), K.col(j));
  }
  theta_->kernel.values_in_place(K.array());
  return K;
}

// Adds the observations that the factor does not have yet.
void ExactGp::factorise_rest() {
  while (factor_.size() < size()) {
    const Index rows = std::min(kBlock, size() - factor_.size());
    if (rows > 1 && factorise_block(rows)) continue;
    for (Index i = 0; i < rows; ++i) factorise_row();
  }
}

// With old rows L and new rows [C B]: W = L⁻¹Cᵀ and M·Mᵀ = B − Wᵀ·W. Returns false, and changes
// nothing, if a pivot is not clear of rounding.
bool ExactGp::factorise_block(Index rows) {
  const Index n = factor_.size();
  const MatrixXd fresh = inputs_.middleRows(n, rows).transpose();
  MatrixXd block = covariances(inputs_.middleRows(n, rows), fresh);
  for (Index r = 0; r < rows; ++r) block(r, r) = diagonal(n + r);
  MatrixXd cross = covariances(inputs_.topRows(n), fresh);
  if (n > 0) {  // Eigen divides by it
    solve_lower_blocked(factor_, cross);
    block.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1.0);
  }
  const Eigen::LLT<MatrixXd> llt(block);
  if (llt.info() != Eigen::Success) return false;
  const MatrixXd M = llt.matrixL();
  for (Index r = 0; r < rows; ++r) {
    // Written so that NaN fails too.
    if (!(M(r, r) * M(r, r) > rounding(n + r))) return false;
  }
  VectorXd w(n + rows);
  for (Index r = 0; r < rows; ++r) {
    w.head(n) = cross.col(r);
    w.segment(n, r) = M.row(r).head(r).transpose();
    append_solved(w.head(n + r), M(r, r));
  }
  return true;
}

void ExactGp::factorise_row() {
  const Index row = factor_.size();
  VectorXd w(row);
  theta_->kernel.squared_distances(inputs_.topRows(row), inputs_.row(row).transpose(), w);
  theta_->kernel.values_in_place(w.array());
  factor_.solve_lower(w);
  double pivot_squared = diagonal(row) - w.squaredNorm();
  // A pivot² below the rounding error of its own computation is meaningless; what is added here
  // equals a little more noise on this one observation.
  if (!(pivot_squared > rounding(row))) {
    const double jitter = std::max(1e-10 * theta_->values.signal_variance, rounding(row));
    pivot_squared = std::max(pivot_squared, 0.0) + jitter;
  }
  append_solved(w, std::sqrt(pivot_squared));
}

// Noise below 1e-12 of the signal variance is raised to that, as in core/local_gp/local_gp.cc.
double ExactGp::diagonal(Index row) const {
  const Hyperparameters& theta = theta_->values;
  const double noise = theta.noise_variance + noise_variance_(row);
  return theta.signal_variance + std::max(noise, 1e-12 * theta.signal_variance);
}

double ExactGp::rounding(Index row) const {
  const double signal = theta_->values.signal_variance;
  return kEpsilon * (10.0 * static_cast<double>(row + 1) * signal + diagonal(row));
}

// The next row of the factor and of z.
void ExactGp::append_solved(const Eigen::Ref<const VectorXd>& w, double pivot) {
  const Index row = factor_.size();
  const Hyperparameters& theta = theta_->values;
  factor_.append_solved(w, pivot);
  for (Index o = 0; o < outputs_.cols(); ++o) {
    const double residual = (outputs_(row, o) - theta.mean(o)) / theta.output_scale(o);
    solved_(row, o) = (residual - w.dot(solved_.col(o).head(row))) / pivot;
  }
}

ExactGp::Posterior ExactGp::predict(const Eigen::Ref<const MatrixXd>& X) const {
  const Hyperparameters& theta = theta_->values;
  const Index n = size();
  const double least = kEpsilon * theta.signal_variance;
  Posterior result{MatrixXd(outputs_.cols(), X.cols()), VectorXd(X.cols())};
  for (Index first = 0; first < X.cols(); first += kQueries) {
    const Index q = std::min(kQueries, X.cols() - first);
    // With W = L⁻¹K, means are WᵀZ and variances k(x,x) − wᵀw: one solve for both.
    MatrixXd W = covariances(inputs_.topRows(n), X.middleCols(first, q));
    solve_lower_blocked(factor_, W);
    MatrixXd mean = solved_.topRows(n).transpose() * W;
    mean.array().colwise() *= theta.output_scale.array();
    result.mean.middleCols(first, q) = mean.colwise() + theta.mean;
    result.variance.segment(first, q) =
        (theta.signal_variance - W.colwise().squaredNorm().transpose().array()).max(least);
  }
  return result;
}

void ExactGp::grow_for(Index rows) {
  if (rows <= inputs_.rows()) return;
  const Index capacity = inputs_.rows();
  reserve(std::max({rows, capacity + capacity / 5, Index{8}}));
}

void ExactGp::reserve(Index rows) {
  inputs_.conservativeResize(rows, Eigen::NoChange);
  outputs_.conservativeResize(rows, Eigen::NoChange);
  solved_.conservativeResize(rows, Eigen::NoChange);
  noise_variance_.conservativeResize(rows);
  sequence_.reserve(static_cast<std::size_t>(rows));
  factor_.reserve(rows);
}

std::size_t ExactGp::memory_bytes() const {
  const Index doubles =
      center_.size() + inputs_.size() + outputs_.size() + noise_variance_.size() + solved_.size();
  return sizeof(*this) + static_cast<std::size_t>(doubles) * sizeof(double) +
         sequence_.capacity() * sizeof(std::uint64_t) + factor_.memory_bytes();
}

}  // namespace splitgp::rivals
