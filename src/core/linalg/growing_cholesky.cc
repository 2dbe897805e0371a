#include "core/linalg/growing_cholesky.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/base/factor_version.h"
#include "core/base/operations.h"
#include "core/linalg/triangular.h"

namespace splitgp {

using Eigen::Index;

std::size_t GrowingCholesky::memory_bytes() const {
  return columns_.capacity() * sizeof(Lanes) + inverse_pivots_.capacity() * sizeof(double) +
         row_of_.capacity() * sizeof(std::uint32_t);
}

GrowingCholesky& GrowingCholesky::operator=(const GrowingCholesky& other) {
  if (this == &other) return *this;
  const auto copy = [](auto& to, const auto& from) {
    to.clear();
    to.reserve(from.capacity());
    to.assign(from.begin(), from.end());
  };
  version_ = other.version_;
  rows_ = other.rows_;
  copy(row_of_, other.row_of_);
  copy(columns_, other.columns_);
  copy(inverse_pivots_, other.inverse_pivots_);
  return *this;
}

void GrowingCholesky::reserve(Index size) {
  const Index panels = (size + most_gaps(size) + kRows - 1) / kRows;
  columns_.reserve(panel_offset(panels));
  inverse_pivots_.reserve(static_cast<std::size_t>(kRows * panels));
  row_of_.reserve(static_cast<std::size_t>(size));
}

void GrowingCholesky::touch() {
  const auto touch_spare = [](auto& values) {
    const std::size_t size = values.size();
    values.resize(values.capacity());
    values.resize(size);
  };
  touch_spare(columns_);
  touch_spare(inverse_pivots_);
  touch_spare(row_of_);
}

void GrowingCholesky::clear() {
  version_ = next_factor_version();
  rows_ = 0;
  row_of_.clear();
  columns_.clear();
  inverse_pivots_.clear();
}

double GrowingCholesky::operator()(Index i, Index j) const {
  assert(0 <= j && j <= i && i < size());
  return panel(row_of(i) / kRows)[row_of(j)].get(row_of(i) % kRows);
}

double GrowingCholesky::smallest_pivot() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < size(); ++i) smallest = std::min(smallest, (*this)(i, i));
  return smallest;
}

double GrowingCholesky::largest_pivot() const {
  double largest = 0.0;
  for (Index i = 0; i < size(); ++i) largest = std::max(largest, (*this)(i, i));
  return largest;
}

void GrowingCholesky::append_solved(const Eigen::Ref<const Eigen::VectorXd>& w, double pivot) {
  assert(w.size() == size() && pivot > 0.0);
  const Index n = size();
  count_operations(n);
  open_row();
  const Index row = rows_ - 1;
  Lanes* row_panel = panel(row / kRows);
  const Index lane = row % kRows;
  for (Index j = 0; j < n; ++j) row_panel[row_of(j)].set(lane, w(j));
  row_panel[row].set(lane, pivot);
  inverse_pivots_[static_cast<std::size_t>(row)] = 1.0 / pivot;
}

// Adds a row of zeros, in a new panel if the last one is full.
void GrowingCholesky::open_row() {
  version_ = next_factor_version();
  if (rows_ % kRows == 0) {
    columns_.resize(panel_offset(rows_ / kRows + 1), Lanes{});
    inverse_pivots_.resize(inverse_pivots_.size() + kRows, 0.0);
  }
  row_of_.push_back(static_cast<std::uint32_t>(rows_++));
}

bool GrowingCholesky::append_block(Eigen::Ref<Eigen::MatrixXd> cross,
                                   Eigen::Ref<Eigen::MatrixXd> block,
                                   double smallest_pivot_squared) {
  const Index n = size();
  const Index b = block.rows();
  assert(cross.rows() == n && cross.cols() == b && block.cols() == b);
  if (b == 0) return true;
  count_operations(b * b * b / 6 + b * b * n / 2);
  // [A  C ]   [L   0] [Lᵀ  W]
  // [Cᵀ B ] = [Wᵀ  M]·[0  Mᵀ]   with W = L⁻¹C and M·Mᵀ = B − Wᵀ·W
  if (n > 0) {
    solve_lower(cross);
    block.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1.0);
  }
  if (!factorise_lower(block)) return false;
  // Written so that NaN fails too.
  if (!(block.diagonal().array().square() > smallest_pivot_squared).all()) return false;
  reserve(n + b);
  for (Index r = 0; r < b; ++r) {
    open_row();
    const Index row = rows_ - 1;
    Lanes* row_panel = panel(row / kRows);
    const Index lane = row % kRows;
    for (Index j = 0; j < n; ++j) row_panel[row_of(j)].set(lane, cross(j, r));
    for (Index j = 0; j <= r; ++j) row_panel[row_of(n + j)].set(lane, block(r, j));
    inverse_pivots_[static_cast<std::size_t>(row)] = 1.0 / block(r, r);
  }
  return true;
}

}  // namespace splitgp
