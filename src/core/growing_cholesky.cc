#include "core/growing_cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace splitgp {

using Eigen::Index;

std::size_t GrowingCholesky::memory_bytes() const {
  return columns_.capacity() * sizeof(Lanes) + inverse_pivots_.capacity() * sizeof(double);
}

void GrowingCholesky::reserve(Index rows) {
  const Index panels = (rows + kRows - 1) / kRows;
  columns_.reserve(panel_offset(panels));
  inverse_pivots_.reserve(static_cast<std::size_t>(kRows * panels));
}

void GrowingCholesky::clear() {
  size_ = 0;
  columns_.clear();
  inverse_pivots_.clear();
}

double GrowingCholesky::operator()(Index i, Index j) const {
  assert(0 <= j && j <= i && i < size_);
  return panel(i / kRows)[j].get(i % kRows);
}

Eigen::MatrixXd GrowingCholesky::dense() const {
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(size_, size_);
  for (Index i = 0; i < size_; ++i) {
    for (Index j = 0; j <= i; ++j) L(i, j) = (*this)(i, j);
  }
  return L;
}

double GrowingCholesky::log_determinant() const {
  double sum = 0.0;
  for (Index i = 0; i < size_; ++i) sum += std::log((*this)(i, i));
  return 2.0 * sum;
}

double GrowingCholesky::smallest_pivot() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < size_; ++i) smallest = std::min(smallest, (*this)(i, i));
  return smallest;
}

double GrowingCholesky::largest_pivot() const {
  double largest = 0.0;
  for (Index i = 0; i < size_; ++i) largest = std::max(largest, (*this)(i, i));
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
  assert(w.size() == size_ && pivot > 0.0);
  open_row();
  const Index i = size_ - 1;
  Lanes* row_panel = panel(i / kRows);
  const Index lane = i % kRows;
  for (Index j = 0; j < i; ++j) row_panel[j].set(lane, w(j));
  row_panel[i].set(lane, pivot);
  inverse_pivots_[static_cast<std::size_t>(i)] = 1.0 / pivot;
}

// One more row of zeros, in a new panel if the last one is full.
void GrowingCholesky::open_row() {
  if (size_ % kRows == 0) {
    columns_.resize(panel_offset(size_ / kRows + 1), Lanes{});
    inverse_pivots_.resize(inverse_pivots_.size() + kRows, 0.0);
  }
  ++size_;
}

bool GrowingCholesky::append_block(Eigen::Ref<Eigen::MatrixXd> cross,
                                   Eigen::Ref<Eigen::MatrixXd> block,
                                   double smallest_pivot_squared) {
  const Index n = size_;
  const Index b = block.rows();
  assert(cross.rows() == n && cross.cols() == b && block.cols() == b);
  // [A  C ]   [L   0] [Lᵀ  W]
  // [Cᵀ B ] = [Wᵀ  M]·[0  Mᵀ]   with W = L⁻¹C and M·Mᵀ = B − Wᵀ·W
  if (n > 0) {
    solve_lower(cross);
    block.selfadjointView<Eigen::Lower>().rankUpdate(cross.transpose(), -1.0);
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(block);
  if (llt.info() != Eigen::Success) return false;
  // Written so that a NaN fails too.
  if (b > 0 && !(block.diagonal().array().square().minCoeff() > smallest_pivot_squared))
    return false;
  reserve(n + b);
  for (Index r = 0; r < b; ++r) {
    open_row();
    const Index i = n + r;
    Lanes* row_panel = panel(i / kRows);
    const Index lane = i % kRows;
    for (Index j = 0; j < n; ++j) row_panel[j].set(lane, cross(j, r));
    for (Index j = 0; j <= r; ++j) row_panel[n + j].set(lane, block(r, j));
    inverse_pivots_[static_cast<std::size_t>(i)] = 1.0 / block(r, r);
  }
  return true;
}

void GrowingCholesky::remove(Index j) {
  Eigen::MatrixXd nothing(size_, 0);
  remove(j, nothing);
}

void GrowingCholesky::remove(Index j, Eigen::Ref<Eigen::MatrixXd> solved) {
  assert(0 <= j && j < size_ && solved.rows() == size_);
  rotate_into(j, solved);
  close_gap(j);
}

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
// stay zero.
void GrowingCholesky::rotate_into(Index j, Eigen::Ref<Eigen::MatrixXd> solved) {
  static thread_local std::vector<Rotation> scratch;  // no allocation in the steady state
  scratch.resize(static_cast<std::size_t>(size_));
  Rotation* const rotations = scratch.data();

  // Fixes the rotations of the panel's own columns, from `from` on, and applies them.
  const auto rotate_diagonal = [&](Index p, Index from, Lanes& x) {
    Lanes* columns = panel(p);
    const Index first = p * kRows;
    for (Index k = from; k < std::min(first + kRows, size_); ++k) {
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

  Index p = j / kRows;
  Lanes x = panel(p)[j];
  for (Index lane = 0; lane < kRows && p * kRows + lane <= j; ++lane) x.set(lane, 0.0);
  rotate_diagonal(p, j + 1, x);
  // Two panels at a time: one chain of rotations would wait for itself.
  for (++p; p + 1 < panels(); p += 2) {
    Lanes* upper = panel(p);
    Lanes* lower = panel(p + 1);
    const Index first = p * kRows;
    x = upper[j];
    Lanes y = lower[j];
    for (Index k = j + 1; k < first; ++k) {
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
    x = columns[j];
    for (Index k = j + 1; k < p * kRows; ++k) rotate(rotations[k], columns[k], x);
    rotate_diagonal(p, p * kRows, x);
  }

  // [L' x]·[z; z_j] = [L'' 0]·Qᵀ[z; z_j]: the same rotations carry z = L⁻¹b along.
  for (Index output = 0; output < solved.cols(); ++output) {
    double removed = solved(j, output);
    for (Index k = j + 1; k < size_; ++k) {
      const auto [c, s] = rotations[k];
      const double z = solved(k, output);
      solved(k - 1, output) = c * z + s * removed;
      removed = c * removed - s * z;
    }
  }
}

// Moves rows below j up by one lane and columns right of j left by one.
void GrowingCholesky::close_gap(Index j) {
  const Index last = panels() - 1;
  for (Index p = j / kRows; p <= last; ++p) {
    Lanes* to = panel(p);
    const Index first = p * kRows;
    // Column k of what remains is column k, or k + 1 from j on; the panel below may be missing.
    const auto moved = [&](Index source) {
      const Lanes here = source < first + kRows ? to[source] : Lanes{};
      return here.shift_in(p < last ? panel(p + 1)[source] : Lanes{});
    };
    if (first >= j && p < last) {
      const Lanes* below = panel(p + 1);
      Index k = 0;
      for (; k < j; ++k) to[k] = to[k].shift_in(below[k]);
      for (; k < first + kRows - 1; ++k) to[k] = to[k + 1].shift_in(below[k + 1]);
      to[k] = moved(k + 1);
    } else {
      for (Index k = 0; k < first + kRows; ++k) {
        const Lanes next = moved(k < j ? k : k + 1);
        for (Index lane = std::max(Index{0}, j - first); lane < kRows; ++lane) {
          to[k].set(lane, next.get(lane));
        }
      }
    }
  }
  inverse_pivots_.erase(inverse_pivots_.begin() + j);
  inverse_pivots_.push_back(0.0);
  --size_;
  columns_.resize(panel_offset(panels()));
  inverse_pivots_.resize(static_cast<std::size_t>(kRows * panels()));
}

void GrowingCholesky::solve_lower(Eigen::Ref<Eigen::MatrixXd> b) const {
  assert(b.rows() == size_);
  for (Index r = 0; r < b.cols(); ++r) solve_lower_column(b.col(r).data());
}

// Forward substitution, two panels of four rows at a time; four partial sums for each, because one
// chain of additions would wait for itself.
void GrowingCholesky::solve_lower_column(double* b) const {
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
  const Index rows = size_ - first;
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

void GrowingCholesky::solve_upper(Eigen::Ref<Eigen::MatrixXd> b) const {
  assert(b.rows() == size_);
  for (Index r = 0; r < b.cols(); ++r) {
    double* right = b.col(r).data();
    for (Index p = panels() - 1; p >= 0; --p) {
      const Lanes* columns = panel(p);
      const Index first = p * kRows;
      Lanes x{};
      for (Index lane = std::min(kRows, size_ - first) - 1; lane >= 0; --lane) {
        // Rows below `lane` in this panel are solved; the others still hold 0 in x.
        const double known = columns[first + lane].dot(x);
        const double solved =
            (right[first + lane] - known) * inverse_pivots_[static_cast<std::size_t>(first + lane)];
        x.set(lane, solved);
        right[first + lane] = solved;
      }
      for (Index k = 0; k < first; ++k) right[k] -= columns[k].dot(x);
    }
  }
}

}  // namespace splitgp
