// GrowingCholesky's triangular solves: one right-hand side, or several side by side in the lanes.
#include <algorithm>
#include <cassert>

#include "core/base/operations.h"
#include "core/linalg/growing_cholesky.h"

namespace splitgp {

using Eigen::Index;

namespace {

// Buffers of one thread, so that the steady state allocates nothing.
struct SolveBuffers {
  std::vector<Lanes> interleaved;
  std::vector<double> stored;
  std::vector<Lanes> sums;
};

SolveBuffers& solve_buffers() {
  static thread_local SolveBuffers buffers;
  return buffers;
}

}  // namespace

void GrowingCholesky::prepare_thread(Index size) {
  const Index rows = (size + most_gaps(size) + kRows - 1) / kRows * kRows;
  const auto fill = [](auto& values, Index count) {
    if (std::ssize(values) < count) values.resize(static_cast<std::size_t>(count));
  };
  fill(solve_buffers().interleaved, 2 * rows);
  fill(solve_buffers().stored, rows);
  fill(solve_buffers().sums, 2 * rows);
  prepare_rotations(rows);
}

void GrowingCholesky::solve_lower(Eigen::Ref<Eigen::MatrixXd> b) const {
  assert(b.rows() == size());
  count_operations(rows_ * rows_ / 2 * b.cols());
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
  std::vector<Lanes>& interleaved = solve_buffers().interleaved;
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
  assert(b.rows() == size());
  count_operations(rows_ * rows_ / 2 * b.cols());
  Index c = 0;
  for (; b.cols() - c >= 2; c += 2) solve_upper_together<2>(b.middleCols(c, 2));
  if (c < b.cols()) solve_upper_together<1>(b.middleCols(c, 1));
}

// In place if rows are stored without gaps; otherwise through a buffer with zeros in the gaps.
template <typename Solve>
void GrowingCholesky::solve_columns(Eigen::Ref<Eigen::MatrixXd> b, const Solve& solve) const {
  assert(b.rows() == size());
  std::vector<double>& stored = solve_buffers().stored;
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

// A row's partial sums start with its right-hand side and end with its solution, in the first lane.
template <int kColumns>
void GrowingCholesky::solve_upper_together(Eigen::Ref<Eigen::MatrixXd> b) const {
  std::vector<Lanes>& sums = solve_buffers().sums;
  sums.assign(static_cast<std::size_t>(kColumns * kRows * panels()), Lanes{});
  for (Index c = 0; c < kColumns; ++c) {
    const double* column = b.col(c).data();
    for (Index i = 0; i < size(); ++i)
      sums[static_cast<std::size_t>(kColumns * row_of(i) + c)].set(0, column[i]);
  }
  solve_upper_lanes<kColumns>(sums.data());
  for (Index c = 0; c < kColumns; ++c) {
    double* column = b.col(c).data();
    for (Index i = 0; i < size(); ++i)
      column[i] = sums[static_cast<std::size_t>(kColumns * row_of(i) + c)].get(0);
  }
}

namespace {

// The last rows of a backward substitution: x of one panel's rows, for each column.
template <int kColumns>
struct PanelSolution {
  Lanes x[kColumns];
};

// The triangle on the diagonal, from the last row to the first; `columns` and `inverse` begin at
// it. Rows beyond the last have inverse pivots of 0, and so x = 0.
template <int kColumns>
inline PanelSolution<kColumns> solve_upper_panel(const Lanes* columns, const double* inverse,
                                                 Lanes* sums) {
  PanelSolution<kColumns> result;
  for (int c = 0; c < kColumns; ++c) {
    const double x3 = sums[3 * kColumns + c].sum() * inverse[3];
    const double x2 = (sums[2 * kColumns + c].sum() - columns[2].get(3) * x3) * inverse[2];
    const double x1 =
        (sums[kColumns + c].sum() - columns[1].get(3) * x3 - columns[1].get(2) * x2) * inverse[1];
    const double x0 =
        (sums[c].sum() - columns[0].get(3) * x3 - columns[0].get(2) * x2 - columns[0].get(1) * x1) *
        inverse[0];
    Lanes x;
    x.set(0, x0);
    x.set(1, x1);
    x.set(2, x2);
    x.set(3, x3);
    result.x[c] = x;
    sums[c].set(0, x0);
    sums[kColumns + c].set(0, x1);
    sums[2 * kColumns + c].set(0, x2);
    sums[3 * kColumns + c].set(0, x3);
  }
  return result;
}

// Subtracts from the partial sums of rows `first` to `end` what several panels say about them, in
// the panels' order.
template <int kColumns, int kPanels>
inline void subtract_panels(const Lanes* const (&panels)[kPanels],
                            const PanelSolution<kColumns> (&solutions)[kPanels], Index first,
                            Index end, Lanes* sums) {
  PanelSolution<kColumns> x[kPanels];  // a copy, which stays in registers
#pragma GCC unroll 4
  for (int i = 0; i < kPanels; ++i) x[i] = solutions[i];
  for (Index k = first; k < end; ++k) {
#pragma GCC unroll 2
    for (int c = 0; c < kColumns; ++c) {
      Lanes sum = sums[kColumns * k + c];
#pragma GCC unroll 4
      for (int i = 0; i < kPanels; ++i) sum.subtract(panels[i][k], x[i].x[c]);
      sums[kColumns * k + c] = sum;
    }
  }
}

}  // namespace

// Backward substitution. Row k needs Σ L(r, k)·x(r) over the rows r below it, and each panel has
// four of them in the lanes of its column k: four partial sums for each row, added up only when it
// is that row's turn, so that nothing is summed across lanes on the way. Several panels are read
// side by side, because what costs is loading and storing the partial sums.
template <int kColumns>
void GrowingCholesky::solve_upper_lanes(Lanes* sums) const {
  constexpr int kTogether = Lanes::kParts == 1 ? 4 : 2;
  for (Index end = panels(); end > 0;) {
    const Index begin = std::max<Index>(0, end - kTogether);
    PanelSolution<kColumns> solutions[kTogether]{};
    const Lanes* together[kTogether];
    for (Index p = end - 1, i = 0; p >= begin; --p, ++i) {
      const Index first = p * kRows;
      together[i] = panel(p);
      solutions[i] = solve_upper_panel<kColumns>(panel(p) + first, inverse_pivots_.data() + first,
                                                 sums + kColumns * first);
      subtract_panels<kColumns, 1>({panel(p)}, {solutions[i]}, begin * kRows, first, sums);
    }
    if (begin > 0)
      subtract_panels<kColumns, kTogether>(together, solutions, 0, begin * kRows, sums);
    end = begin;
  }
}

}  // namespace splitgp
