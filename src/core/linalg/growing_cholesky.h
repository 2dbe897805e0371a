#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/base/factor_memory.h"
#include "core/base/prefetch.h"
#include "core/linalg/lanes.h"

namespace splitgp {

// clang-format off
/// The Cholesky factor A = L·Lᵀ of a matrix that grows and shrinks by one row and column at a time.
///
/// Storage: rows in panels of four. Panel p holds rows 4p … 4p+3 and columns 0 … 4p+3, column after
/// column, so that one column of a panel is one vector register:
///
///     panel 0   panel 1
///     d . . .   x x x x d . . .    An append fills one lane of the last panel; nothing moves.
///     x d . .   x x x x x d . .    A forward solve streams through the panels, four rows at a
///     x x d .   x x x x x x d .    time, with no sum across lanes. A removal rotates four rows at
///     x x x d   x x x x x x x d    a time, which a row-by-row layout cannot: there each rotation
///     ↑ ↑ ↑ ↑   ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑    waits for the one before.
///     one register per column
///
/// A removed row stays behind as an empty one, a row of the identity, which affects nothing:
/// closing the gap would move every row below it. Gaps are closed together, once there are more
/// than a few.
///
/// Memory is n²/2 + O(n), at most a tenth more with gaps. Appending solves for one new row, which
/// is as stable as factorising again; removing is a rank-one *update* of the trailing block by
/// Givens rotations, also stable. Nothing here subtracts a rank-one term, which the paper rightly
/// avoids.
///
/// Right-hand sides are columns and are solved in place; Ref makes the solves work on blocks.
// clang-format on
class GrowingCholesky {
 public:
  GrowingCholesky() = default;
  GrowingCholesky(GrowingCholesky&&) noexcept = default;
  GrowingCholesky& operator=(GrowingCholesky&&) noexcept = default;
  /// A copy has as much room as the original: it will gain rows too.
  GrowingCholesky(const GrowingCholesky& other) { *this = other; }
  GrowingCholesky& operator=(const GrowingCholesky& other);
  ~GrowingCholesky() = default;

  Eigen::Index size() const { return std::ssize(row_of_); }
  std::size_t memory_bytes() const;
  /// Room for a matrix of this size, gaps included.
  void reserve(Eigen::Index size);
  /// What solves and removals on this thread need besides, for matrices up to this size.
  static void prepare_thread(Eigen::Index size);
  /// Writes to all memory that is reserved, so that none of it is touched for the first time later.
  void touch();
  void clear();
  /// Changes whenever the factor does (core/base/factor_version.h); copies share it. 0: never
  /// filled.
  std::uint64_t version() const { return version_; }
  /// Prefetches the start of the factor (core/base/prefetch.h).
  void prefetch() const { splitgp::prefetch(columns_.data(), columns_.size()); }

  /// Appends the row (a, diagonal) of A, given w = L⁻¹a and the pivot √(diagonal − wᵀw). O(n)
  void append_solved(const Eigen::Ref<const Eigen::VectorXd>& w, double pivot);

  /// Appends b rows at once: A grows by `cross` (n × b) and `block` (b × b, lower triangle read).
  /// Returns false, and changes nothing, if a squared pivot is not above `smallest_pivot_squared`.
  /// Blocked, so several times faster than b appends. `cross` and `block` are overwritten. O(n²b/2
  /// + nb²/2 + b³/6)
  bool append_block(Eigen::Ref<Eigen::MatrixXd> cross, Eigen::Ref<Eigen::MatrixXd> block,
                    double smallest_pivot_squared = 0.0);

  /// Removes row and column j of A. `solved` is L⁻¹B for some B and is updated too: its first n − 1
  /// rows become L⁻¹B of what remains. O((n−j)²)
  void remove(Eigen::Index j, Eigen::Ref<Eigen::MatrixXd> solved);

  /// b ← L⁻¹b for every column b. O(n²/2) each; many columns at once share reads of the factor, and
  /// give the same bits as each alone.
  void solve_lower(Eigen::Ref<Eigen::MatrixXd> b) const;
  /// b ← L⁻ᵀb. Two columns at once take little longer than one, and have the same bits.
  void solve_upper(Eigen::Ref<Eigen::MatrixXd> b) const;

  double smallest_pivot() const;
  double largest_pivot() const;

  /// L(i, j). REQUIRES: j ≤ i < size().
  double operator()(Eigen::Index i, Eigen::Index j) const;

 private:
  static void prepare_rotations(Eigen::Index rows);
  static constexpr Eigen::Index kRows = Lanes::kCount;  // in a panel

  static std::size_t panel_offset(Eigen::Index panel) {
    return static_cast<std::size_t>(kRows / 2 * panel * (panel + 1));
  }
  const Lanes* panel(Eigen::Index p) const { return columns_.data() + panel_offset(p); }
  Lanes* panel(Eigen::Index p) { return columns_.data() + panel_offset(p); }
  Eigen::Index panels() const { return (rows_ + kRows - 1) / kRows; }
  Eigen::Index row_of(Eigen::Index i) const { return row_of_[static_cast<std::size_t>(i)]; }
  bool has_gaps() const { return rows_ != size(); }
  static Eigen::Index most_gaps(Eigen::Index n);
  void open_row();
  void rotate_into(Eigen::Index j, Eigen::Ref<Eigen::MatrixXd> solved);
  void empty_row(Eigen::Index row);
  void close_gaps();
  void solve_lower_rows(double* b) const;
  template <int kLanes>
  void solve_lower_together(Eigen::Ref<Eigen::MatrixXd> b) const;
  template <int kLanes>
  void solve_lower_lanes(Lanes* b) const;
  void solve_panel(Eigen::Index p, const Lanes& sum, double* b) const;
  template <int kColumns>
  void solve_upper_together(Eigen::Ref<Eigen::MatrixXd> b) const;
  template <int kColumns>
  void solve_upper_lanes(Lanes* sums) const;
  template <typename Solve>
  void solve_columns(Eigen::Ref<Eigen::MatrixXd> b, const Solve& solve) const;

  std::uint64_t version_ = 0;
  Eigen::Index rows_ = 0;              // stored, including empty ones
  std::vector<std::uint32_t> row_of_;  // where row i of A is stored; ascending
  std::vector<Lanes, FactorAllocator<Lanes>> columns_;
  // 1 / L(i, i) of the stored rows, because a multiplication in the solve's critical path is three
  // times as fast as a division; padded with zeros to whole panels.
  std::vector<double> inverse_pivots_;
};

}  // namespace splitgp
