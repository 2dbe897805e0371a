// GrowingCholesky's triangular solves: one right-hand side, or several side by side in the lanes.
#include <algorithm>
#include <cassert>

#include "core/growing_cholesky.h"

namespace splitgp {

using Eigen::Index;

void GrowingCholesky::solve_lower(Eigen::Ref<Eigen::MatrixXd> b) const {
  assert(b.rows() == size());
  // As many accumulators (four rows of this many Lanes) as fit into the registers.
  constexpr int kLanes = Lanes::kParts == 1 ? 2 : 1;
  constexpr Index kTogether = kLanes * Lanes::kCount;
  Index c = 0;
  for (; b.cols() - c >= kTogether; c += kTogether)
    solve_lower_together<kLanes>(b.middleCols(c, kTogether));
  for (; b.cols() - c >= 2; c += std::min<Index>(Lanes::kCount, b.cols() - c))
    solve_lower_together<1>(b.middleCols(c, std::min<Index>(Lanes::kCount, b.cols() - c)));
  solve_columns(b.rightCols(b.cols() - c), [this](double* rows) { solve_lower_rows(rows); });
}

// Row k of all columns side by side, with zeros in the gaps and in unused lanes.
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

// A sum is four partial ones, over every fourth k: each addition in a single chain would wait for
// the one before.
constexpr Index kSums = 4;

// Σ over every fourth k, from the given one on, of L(r, k)·b(k) for the four rows of a panel.
template <int kLanes>
inline void partial_sums(const Lanes* columns, Index k, Index end, const Lanes* b,
                         Lanes (&sum)[Lanes::kCount][kLanes]) {
  for (auto& row : sum) {
    for (Lanes& lanes : row) lanes = Lanes{};
  }
  for (; k < end; k += kSums) {
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
    Lanes sum[kSums][kRows][kLanes];
    for (Index i = 0; i < kSums; ++i) partial_sums<kLanes>(columns, i, first, b, sum[i]);
    for (Index row = 0; row < std::min(kRows, rows_ - first); ++row) {
      for (int l = 0; l < kLanes; ++l) {
        Lanes x = b[kLanes * (first + row) + l] -
                  ((sum[0][row][l] + sum[1][row][l]) + (sum[2][row][l] + sum[3][row][l]));
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

// In place if rows are stored without gaps; otherwise through a buffer with zeros in the gaps.
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

// Forward substitution, panel by panel, so that memory is read from one end to the other: only then
// does the processor fetch ahead at its full rate, and a factor usually comes from main memory. Two
// panels side by side share the reads of b, but took half as long again from there (AVX2 build, 512
// rows: 47 instead of 32 µs).
void GrowingCholesky::solve_lower_rows(double* b) const {
  for (Index p = 0; p < panels(); ++p) {
    const Lanes* columns = panel(p);
    Lanes sum0{}, sum1{}, sum2{}, sum3{};
    for (Index k = 0; k < p * kRows; k += kSums) {
      sum0.add(b[k], columns[k]);
      sum1.add(b[k + 1], columns[k + 1]);
      sum2.add(b[k + 2], columns[k + 2]);
      sum3.add(b[k + 3], columns[k + 3]);
    }
    solve_panel(p, (sum0 + sum1) + (sum2 + sum3), b);
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
