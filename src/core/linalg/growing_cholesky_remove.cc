// How GrowingCholesky removes a row, and the gaps that leaves.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/factor_version.h"
#include "core/base/operations.h"
#include "core/linalg/growing_cholesky.h"

namespace splitgp {

using Eigen::Index;

void GrowingCholesky::remove(Index j, Eigen::Ref<Eigen::MatrixXd> solved) {
  assert(0 <= j && j < size() && solved.rows() == size());
  version_ = next_factor_version();
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

constexpr Index kOnStack = 1024;

// A function of its own: the first use in a thread allocates, however little is asked for.
Rotation* large_scratch(Index rows) {
  static thread_local std::vector<Rotation> scratch;
  if (std::ssize(scratch) < rows) scratch.resize(static_cast<std::size_t>(rows));
  return scratch.data();
}

}  // namespace

void GrowingCholesky::prepare_rotations(Index rows) {
  if (rows > kOnStack) large_scratch(rows);
}

// Without row j, the rows below it satisfy A' = L'·L'ᵀ + x·xᵀ, where x is column j below the
// diagonal. Rotations of x with column k = j+1, j+2, … bring [L' x] to [L'' 0]: rotation k is fixed
// when row k, with all earlier rotations applied, meets its diagonal. Otherwise rows are
// independent, so each panel carries its four x in one register. Lanes of rows ≤ j are zero and
// stay zero; an empty row has x = 0, so its rotation is the identity.
void GrowingCholesky::rotate_into(Index j, Eigen::Ref<Eigen::MatrixXd> solved) {
  // No allocation, or for large factors none in the steady state.
  Rotation on_stack[kOnStack];
  Rotation* const rotations = rows_ > kOnStack ? large_scratch(rows_) : on_stack;
  const Index removed_row = row_of(j);
  const Index below = rows_ - removed_row;
  count_operations(2 * below * below + 4 * below * solved.cols());

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
  // Two panels at a time, so that two chains of dependent rotations overlap.
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

// Makes this row and column those of the identity.
void GrowingCholesky::empty_row(Index row) {
  const Index lane = row % kRows;
  Lanes* own = panel(row / kRows);
  for (Index k = 0; k < row; ++k) own[k].set(lane, 0.0);
  for (Index below = lane; below < kRows; ++below) own[row].set(below, 0.0);
  for (Index p = row / kRows + 1; p < panels(); ++p) panel(p)[row] = Lanes{};
  own[row].set(lane, 1.0);
  inverse_pivots_[static_cast<std::size_t>(row)] = 1.0;
}

// Stores row i in place i again. This works in place because every value moves up or left, onto one
// that has already moved.
void GrowingCholesky::close_gaps() {
  const Index n = size();
  count_operations(n * n / 2);
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
  // Whatever the moved rows leave to the right of their diagonals and in unused lanes must be zero.
  for (Index p = first_moved / kRows; p < panels(); ++p) {
    for (Index row = p * kRows; row < (p + 1) * kRows; ++row) {
      for (Index k = row < n ? row + 1 : 0; k < (p + 1) * kRows; ++k)
        panel(p)[k].set(row % kRows, 0.0);
      if (row >= n) inverse_pivots_[static_cast<std::size_t>(row)] = 0.0;
    }
  }
}

}  // namespace splitgp
