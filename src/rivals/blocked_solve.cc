#include "rivals/blocked_solve.h"

#include <algorithm>

namespace splitgp::rivals {

using Eigen::Index;

void solve_lower_blocked(const GrowingCholesky& factor, Eigen::Ref<Eigen::MatrixXd> B) {
  // Below these sizes, copying rows of L costs more than it saves.
  constexpr Index kFewColumns = 8;
  constexpr Index kFewRows = 64;
  constexpr Index kBlock = 128;
  const Index n = factor.size();
  if (B.cols() < kFewColumns || n < kFewRows) {
    factor.solve_lower(B);
    return;
  }
  Eigen::MatrixXd rows(kBlock, n);
  for (Index first = 0; first < n; first += kBlock) {
    const Index b = std::min(kBlock, n - first);
    for (Index j = 0; j < first + b; ++j) {
      for (Index i = std::max(first, j); i < first + b; ++i) rows(i - first, j) = factor(i, j);
    }
    auto block = B.middleRows(first, b);
    if (first > 0) block.noalias() -= rows.topLeftCorner(b, first) * B.topRows(first);
    rows.block(0, first, b, b).triangularView<Eigen::Lower>().solveInPlace(block);
  }
}

}  // namespace splitgp::rivals
