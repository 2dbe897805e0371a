#include "core/growing_cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace splitgp {

using Eigen::Index;

std::size_t GrowingCholesky::memory_bytes() const {
  return columns_.capacity() * sizeof(Lanes) + inverse_pivots_.capacity() * sizeof(double) +
         row_of_.capacity() * sizeof(std::uint32_t);
}

void GrowingCholesky::reserve(Index size) {
  const Index panels = (size + most_gaps(size) + kRows - 1) / kRows;
  columns_.reserve(panel_offset(panels));
  inverse_pivots_.reserve(static_cast<std::size_t>(kRows * panels));
  row_of_.reserve(static_cast<std::size_t>(size));
}

void GrowingCholesky::clear() {
  rows_ = 0;
  row_of_.clear();
  columns_.clear();
  inverse_pivots_.clear();
}

double GrowingCholesky::operator()(Index i, Index j) const {
  assert(0 <= j && j <= i && i < size());
  return panel(row_of(i) / kRows)[row_of(j)].get(row_of(i) % kRows);
}

Eigen::MatrixXd GrowingCholesky::dense() const {
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(size(), size());
  for (Index i = 0; i < size(); ++i) {
    for (Index j = 0; j <= i; ++j) L(i, j) = (*this)(i, j);
  }
  return L;
}

double GrowingCholesky::log_determinant() const {
  double sum = 0.0;
  for (Index i = 0; i < size(); ++i) sum += std::log((*this)(i, i));
  return 2.0 * sum;
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

double GrowingCholesky::append(const Eigen::Ref<const Eigen::VectorXd>& a, double diagonal,
                               double smallest_pivot_squared) {
  Eigen::VectorXd w = a;
  solve_lower(w);
  const double pivot_squared = diagonal - w.squaredNorm();
  if (pivot_squared > smallest_pivot_squared) append_solved(w, std::sqrt(pivot_squared));
  return pivot_squared;
}

void GrowingCholesky::append_solved(const Eigen::Ref<const Eigen::VectorXd>& w, double pivot) {
  assert(w.size() == size() && pivot > 0.0);
  const Index n = size();
  open_row();
  const Index row = rows_ - 1;
  Lanes* row_panel = panel(row / kRows);
  const Index lane = row % kRows;
  for (Index j = 0; j < n; ++j) row_panel[row_of(j)].set(lane, w(j));
  row_panel[row].set(lane, pivot);
  inverse_pivots_[static_cast<std::size_t>(row)] = 1.0 / pivot;
}

// One more row of zeros, in a new panel if the last one is full.
void GrowingCholesky::open_row() {
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
  // [A  C ]   [L   0] [Lᵀ  W]
  // [Cᵀ B ] = [Wᵀ  M]·[0  Mᵀ]   with W = L⁻¹C and M·Mᵀ = B − Wᵀ·W
  if (n > 0) {
    solve_lower(cross);
    block.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1.0);
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(block);
  if (llt.info() != Eigen::Success) return false;
  // Written so that a NaN fails too.
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

void GrowingCholesky::remove(Index j) {
  Eigen::MatrixXd nothing(size(), 0);
  remove(j, nothing);
}

void GrowingCholesky::remove(Index j, Eigen::Ref<Eigen::MatrixXd> solved) {
  assert(0 <= j && j < size() && solved.rows() == size());
  rotate_into(j, solved);
  empty_row(row_of(j));
  row_of_.erase(row_of_.begin() + j);
  if (rows_ - size() > most_gaps(size())) close_gaps();
}

Index GrowingCholesky::most_gaps(Index n) { return std::max(Index{2}, n / 24); }

namespace {

struct Rotation {
  double cosine;
  double sine;
};

// (column, x) ← (c·column + s·x, c·x − s·column)
inline void rotate(const Rotation& q, Lanes& column, Lanes& x) {
  const Lanes old = column;
  column = combine(q.cosine, old, q.sine, x);
  x = combine(q.cosine, x, -q.sine, old);
}

}  // namespace

// Without row j, the rows below it satisfy A' = L'·L'ᵀ + x·xᵀ, where x is column j below the
// diagonal. Rotations of x with column k = j+1, j+2, … bring [L' x] to [L'' 0]: rotation k is fixed
// when row k, with all earlier rotations applied, meets its diagonal. Rows are independent
// otherwise, so each panel carries its four x in one register. Lanes of rows ≤ j hold zeros and
// stay zero; an empty row has x = 0 and gets the identity for its rotation.
void GrowingCholesky::rotate_into(Index j, Eigen::Ref<Eigen::MatrixXd> solved) {
  static thread_local std::vector<Rotation> scratch;  // no allocation in the steady state
  scratch.resize(static_cast<std::size_t>(rows_));
  Rotation* const rotations = scratch.data();
  const Index removed_row = row_of(j);

  // Fixes the rotations of the panel's own columns, from `from` on, and applies them.
  const auto rotate_diagonal = [&](Index p, Index from, Lanes& x) {
    Lanes* columns = panel(p);
    const Index first = p * kRows;
    for (Index k = from; k < std::min(first + kRows, rows_); ++k) {
      const Index lane = k - first;
      const double diagonal = columns[k].get(lane);
      const double above = x.get(lane);
      const double pivot = std::sqrt(diagonal * diagonal + above * above);
      rotations[k] = {diagonal / pivot, above / pivot};
      rotate(rotations[k], columns[k], x);
      columns[k].set(lane, pivot);
      x.set(lane, 0.0);
      inverse_pivots_[static_cast<std::size_t>(k)] = 1.0 / pivot;
    }
  };

  Index p = removed_row / kRows;
  Lanes x = panel(p)[removed_row];
  for (Index lane = 0; lane < kRows && p * kRows + lane <= removed_row; ++lane) x.set(lane, 0.0);
  rotate_diagonal(p, removed_row + 1, x);
  // Two panels at a time: one chain of rotations would wait for itself.
  for (++p; p + 1 < panels(); p += 2) {
    Lanes* upper = panel(p);
    Lanes* lower = panel(p + 1);
    const Index first = p * kRows;
    x = upper[removed_row];
    Lanes y = lower[removed_row];
    for (Index k = removed_row + 1; k < first; ++k) {
      const Rotation q = rotations[k];
      rotate(q, upper[k], x);
      rotate(q, lower[k], y);
    }
    rotate_diagonal(p, first, x);
    for (Index k = first; k < first + kRows; ++k) rotate(rotations[k], lower[k], y);
    rotate_diagonal(p + 1, first + kRows, y);
  }
  if (p < panels()) {
    Lanes* columns = panel(p);
    x = columns[removed_row];
    for (Index k = removed_row + 1; k < p * kRows; ++k) rotate(rotations[k], columns[k], x);
    rotate_diagonal(p, p * kRows, x);
  }

  // [L' x]·[z; z_j] = [L'' 0]·Qᵀ[z; z_j]: the same rotations carry z = L⁻¹b along.
  for (Index output = 0; output < solved.cols(); ++output) {
    double removed = solved(j, output);
    for (Index k = j + 1; k < size(); ++k) {
      const auto [c, s] = rotations[row_of(k)];
      const double z = solved(k, output);
      solved(k - 1, output) = c * z + s * removed;
      removed = c * removed - s * z;
    }
  }
}

// A row, and its column, of the identity.
void GrowingCholesky::empty_row(Index row) {
  const Index lane = row % kRows;
  Lanes* own = panel(row / kRows);
  for (Index k = 0; k < row; ++k) own[k].set(lane, 0.0);
  for (Index below = lane; below < kRows; ++below) own[row].set(below, 0.0);
  for (Index p = row / kRows + 1; p < panels(); ++p) panel(p)[row] = Lanes{};
  own[row].set(lane, 1.0);
  inverse_pivots_[static_cast<std::size_t>(row)] = 1.0;
}

// Stores row i in place i again. In place and in order: every value moves up or left, onto one that
// has moved already.
void GrowingCholesky::close_gaps() {
  const Index n = size();
  Index first_moved = 0;
  while (first_moved < n && row_of(first_moved) == first_moved) ++first_moved;
  for (Index i = first_moved; i < n; ++i) {
    const Index from = row_of(i);
    const Lanes* source = panel(from / kRows);
    Lanes* target = panel(i / kRows);
    for (Index k = 0; k <= i; ++k) target[k].set(i % kRows, source[row_of(k)].get(from % kRows));
    inverse_pivots_[static_cast<std::size_t>(i)] = inverse_pivots_[static_cast<std::size_t>(from)];
  }
  for (Index i = first_moved; i < n; ++i)
    row_of_[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i);
  rows_ = n;
  columns_.resize(panel_offset(panels()));
  inverse_pivots_.resize(static_cast<std::size_t>(kRows * panels()));
  // What the moved rows leave right of their diagonals and in unused lanes must be zero.
  for (Index p = first_moved / kRows; p < panels(); ++p) {
    for (Index row = p * kRows; row < (p + 1) * kRows; ++row) {
      for (Index k = row < n ? row + 1 : 0; k < (p + 1) * kRows; ++k)
        panel(p)[k].set(row % kRows, 0.0);
      if (row >= n) inverse_pivots_[static_cast<std::size_t>(row)] = 0.0;
    }
  }
}

void GrowingCholesky::solve_lower(Eigen::Ref<Eigen::MatrixXd> b) const {
  assert(b.rows() == size());
  // As many accumulators, four rows of this many lanes, as fit into the registers.
  constexpr int kLanes = Lanes::kParts == 1 ? 2 : 1;
  constexpr Index kTogether = kLanes * Lanes::kCount;
  Index c = 0;
  for (; b.cols() - c >= kTogether; c += kTogether)
    solve_lower_together<kLanes>(b.middleCols(c, kTogether));
  for (; b.cols() - c >= 2; c += std::min<Index>(Lanes::kCount, b.cols() - c))
    solve_lower_together<1>(b.middleCols(c, std::min<Index>(Lanes::kCount, b.cols() - c)));
  solve_columns(b.rightCols(b.cols() - c), [this](double* rows) { solve_lower_rows(rows); });
}

// Row k of all columns side by side, zeros in the gaps and in lanes that no column needs.
template <int kLanes>
void GrowingCholesky::solve_lower_together(Eigen::Ref<Eigen::MatrixXd> b) const {
  static thread_local std::vector<Lanes> interleaved;
  interleaved.assign(static_cast<std::size_t>(kLanes * kRows * panels()), Lanes{});
  const auto rows = [&](Index i) { return interleaved.data() + kLanes * row_of(i); };
  for (Index c = 0; c < b.cols(); ++c) {
    const double* column = b.col(c).data();
    for (Index i = 0; i < size(); ++i) rows(i)[c / Lanes::kCount].set(c % Lanes::kCount, column[i]);
  }
  solve_lower_lanes<kLanes>(interleaved.data());
  for (Index c = 0; c < b.cols(); ++c) {
    double* column = b.col(c).data();
    for (Index i = 0; i < size(); ++i)
      column[i] = rows(i)[c / Lanes::kCount].get(c % Lanes::kCount);
  }
}

namespace {

// Σ over k of L(r, k)·b(k) for the four rows of a panel; the even or the odd k, as `k` begins.
template <int kLanes>
inline void partial_sums(const Lanes* columns, Index k, Index end, const Lanes* b,
                         Lanes (&sum)[Lanes::kCount][kLanes]) {
  for (auto& row : sum) {
    for (Lanes& lanes : row) lanes = Lanes{};
  }
  for (; k < end; k += 2) {
    const Lanes& column = columns[k];
    for (int l = 0; l < kLanes; ++l) {
      const Lanes& x = b[kLanes * k + l];
      sum[0][l].add(column.get(0), x);
      sum[1][l].add(column.get(1), x);
      sum[2][l].add(column.get(2), x);
      sum[3][l].add(column.get(3), x);
    }
  }
}

}  // namespace

// The sums of solve_lower_rows, in the same order for every column, with the columns in the lanes.
template <int kLanes>
void GrowingCholesky::solve_lower_lanes(Lanes* b) const {
  for (Index p = 0; p < panels(); ++p) {
    const Lanes* columns = panel(p);
    const Index first = p * kRows;
    Lanes even[kRows][kLanes], odd[kRows][kLanes];
    partial_sums<kLanes>(columns, 0, first, b, even);
    partial_sums<kLanes>(columns, 1, first, b, odd);
    for (Index row = 0; row < std::min(kRows, rows_ - first); ++row) {
      for (int l = 0; l < kLanes; ++l) {
        Lanes x = b[kLanes * (first + row) + l] - (even[row][l] + odd[row][l]);
        for (Index k = 0; k < row; ++k)
          x.subtract(columns[first + k].get(row), b[kLanes * (first + k) + l]);
        b[kLanes * (first + row) + l] = x * inverse_pivots_[static_cast<std::size_t>(first + row)];
      }
    }
  }
}

void GrowingCholesky::solve_upper(Eigen::Ref<Eigen::MatrixXd> b) const {
  solve_columns(b, [this](double* rows) { solve_upper_rows(rows); });
}

// In place where rows are stored without gaps; otherwise by way of a buffer with zeros in the gaps.
template <typename Solve>
void GrowingCholesky::solve_columns(Eigen::Ref<Eigen::MatrixXd> b, const Solve& solve) const {
  assert(b.rows() == size());
  static thread_local std::vector<double> stored;
  for (Index c = 0; c < b.cols(); ++c) {
    double* column = b.col(c).data();
    if (!has_gaps()) {
      solve(column);
      continue;
    }
    stored.assign(static_cast<std::size_t>(rows_), 0.0);
    for (Index i = 0; i < size(); ++i) stored[static_cast<std::size_t>(row_of(i))] = column[i];
    solve(stored.data());
    for (Index i = 0; i < size(); ++i) column[i] = stored[static_cast<std::size_t>(row_of(i))];
  }
}

// Forward substitution, two panels of four rows at a time; two partial sums for each, because one
// chain of additions would wait for itself.
void GrowingCholesky::solve_lower_rows(double* b) const {
  Index p = 0;
  for (; p + 1 < panels(); p += 2) {
    const Lanes* upper = panel(p);
    const Lanes* lower = panel(p + 1);
    const Index first = p * kRows;
    Lanes u0{}, u1{}, l0{}, l1{};
    for (Index k = 0; k < first; k += 2) {
      u0.add(b[k], upper[k]);
      l0.add(b[k], lower[k]);
      u1.add(b[k + 1], upper[k + 1]);
      l1.add(b[k + 1], lower[k + 1]);
    }
    solve_panel(p, u0 + u1, b);
    for (Index k = first; k < first + kRows; k += 2) {
      l0.add(b[k], lower[k]);
      l1.add(b[k + 1], lower[k + 1]);
    }
    solve_panel(p + 1, l0 + l1, b);
  }
  if (p < panels()) {
    const Lanes* columns = panel(p);
    Lanes even{}, odd{};
    for (Index k = 0; k < p * kRows; k += 2) {
      even.add(b[k], columns[k]);
      odd.add(b[k + 1], columns[k + 1]);
    }
    solve_panel(p, even + odd, b);
  }
}

// The triangle on the diagonal, given the sum over all columns before it.
void GrowingCholesky::solve_panel(Index p, const Lanes& sum, double* b) const {
  const Index first = p * kRows;
  const Lanes* columns = panel(p) + first;
  const double* inverse = inverse_pivots_.data() + first;
  b += first;
  const Index rows = rows_ - first;
  const double x0 = (b[0] - sum.get(0)) * inverse[0];
  b[0] = x0;
  if (rows == 1) return;
  const double x1 = (b[1] - sum.get(1) - columns[0].get(1) * x0) * inverse[1];
  b[1] = x1;
  if (rows == 2) return;
  const double x2 =
      (b[2] - sum.get(2) - columns[0].get(2) * x0 - columns[1].get(2) * x1) * inverse[2];
  b[2] = x2;
  if (rows == 3) return;
  b[3] = (b[3] - sum.get(3) - columns[0].get(3) * x0 - columns[1].get(3) * x1 -
          columns[2].get(3) * x2) *
         inverse[3];
}

void GrowingCholesky::solve_upper_rows(double* b) const {
  for (Index p = panels() - 1; p >= 0; --p) {
    const Lanes* columns = panel(p);
    const Index first = p * kRows;
    Lanes x{};
    for (Index lane = std::min(kRows, rows_ - first) - 1; lane >= 0; --lane) {
      // Rows below `lane` in this panel are solved; the others still hold 0 in x.
      const double known = columns[first + lane].dot(x);
      const double solved =
          (b[first + lane] - known) * inverse_pivots_[static_cast<std::size_t>(first + lane)];
      x.set(lane, solved);
      b[first + lane] = solved;
    }
    for (Index k = 0; k < first; ++k) b[k] -= columns[k].dot(x);
  }
}

}  // namespace splitgp
