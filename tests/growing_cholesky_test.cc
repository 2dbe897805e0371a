#include "core/linalg/growing_cholesky.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "support/factor.h"
#include "support/positive_matrix.h"
#include "support/sanitized.h"
#include "support/scaled_residual.h"

namespace splitgp::growing_cholesky_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::append;
using testing::Conditioning;
using testing::dense;
using testing::factor_residual;
using testing::kConditionings;
using testing::kLargestScaledResidual;
using testing::positive_matrix;
using testing::Random;
using testing::remove;

constexpr std::array<Index, 8> kSizes{0, 1, 2, 3, 5, 10, 50, testing::kSanitized ? 130 : 500};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool append_row(GrowingCholesky& factor, const MatrixXd& A, Index i) {
  return append(factor, A.col(i).head(i), A(i, i)) > 0.0;
}

bool append_rows(GrowingCholesky& factor, const MatrixXd& A, Index first, Index count) {
  MatrixXd cross = A.block(0, first, first, count);
  MatrixXd block = A.block(first, first, count, count);
  return factor.append_block(cross, block);
}

GrowingCholesky fresh(const MatrixXd& A) {
  GrowingCholesky factor;
  EXPECT_TRUE(append_rows(factor, A, 0, A.rows()));
  return factor;
}

MatrixXd without(const MatrixXd& A, Index removed) {
  std::vector<Index> kept(static_cast<std::size_t>(A.rows()));
  std::iota(kept.begin(), kept.end(), Index{0});
  kept.erase(kept.begin() + removed);
  return A(kept, kept);
}

// Every row of a small matrix; of a large one both ends, and rows at each place within a panel.
std::vector<Index> rows_to_remove(Index n) {
  if (n > 50) return {0, 1, 2, 3, n / 2, n - 3, n - 2, n - 1};
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

TEST(GrowingCholesky, AppendIsBackwardStable) {
  for (const Conditioning& how : kConditionings) {
    for (const Index n : kSizes) {
      SCOPED_TRACE(::testing::Message() << how.name << ", n = " << n);
      const MatrixXd A = positive_matrix(n, how);
      GrowingCholesky factor;
      for (Index i = 0; i < n; ++i) ASSERT_TRUE(append_row(factor, A, i)) << i;
      ASSERT_EQ(factor.size(), n);
      EXPECT_LT(factor_residual(A, dense(factor)), kLargestScaledResidual);
    }
  }
}

TEST(GrowingCholesky, AppendBlockIsBackwardStable) {
  for (const Conditioning& how : kConditionings) {
    for (const Index n : kSizes) {
      const MatrixXd A = positive_matrix(n, how);
      // All at once, after one row, after a part that ends within a panel, and as the last row.
      for (const Index start : {Index{0}, Index{1}, n / 3, n - 1}) {
        if (start < 0 || start > n) continue;
        SCOPED_TRACE(::testing::Message() << how.name << ", n = " << n << ", start = " << start);
        GrowingCholesky factor;
        ASSERT_TRUE(append_rows(factor, A, 0, start));
        ASSERT_TRUE(append_rows(factor, A, start, n - start));
        ASSERT_EQ(factor.size(), n);
        EXPECT_LT(factor_residual(A, dense(factor)), kLargestScaledResidual);
      }
    }
  }
}

TEST(GrowingCholesky, RemoveAgreesWithFreshFactorisation) {
  for (const Conditioning& how : kConditionings) {
    for (const Index n : kSizes) {
      const MatrixXd A = positive_matrix(n, how);
      const GrowingCholesky all = fresh(A);
      for (const Index j : rows_to_remove(n)) {
        SCOPED_TRACE(::testing::Message() << how.name << ", n = " << n << ", removed = " << j);
        GrowingCholesky factor = all;
        remove(factor, j);
        ASSERT_EQ(factor.size(), n - 1);
        const MatrixXd rest = without(A, j);
        EXPECT_LT(factor_residual(rest, dense(factor)), kLargestScaledResidual);
        // L itself is determined only as far as the condition of A allows, so it is compared where
        // that is harmless: errors of a few n·ε, amplified by at most √cond ≈ 100.
        if (how.noise_variance >= 1e-2 && n <= 50) {
          EXPECT_LT((dense(factor) - dense(fresh(rest))).cwiseAbs().sum(), 1e-12);
        }
      }
    }
  }
}

TEST(GrowingCholesky, RowsCanBeAppendedAfterRemovals) {
  const MatrixXd A = positive_matrix(11, kConditionings[1]);
  // Removing down to every size leaves panels that are full, partly full or empty.
  for (Index left = 0; left < 11; ++left) {
    GrowingCholesky factor = fresh(A);
    while (factor.size() > left) remove(factor, factor.size() - 1);
    for (Index i = left; i < 11; ++i) ASSERT_TRUE(append_row(factor, A, i));
    EXPECT_LT(factor_residual(A, dense(factor)), kLargestScaledResidual) << left;
  }
}

TEST(GrowingCholesky, StaysAccurateThroughTenThousandMixedOperations) {
  constexpr int kOperations = testing::kSanitized ? 2'000 : 10'000;
  constexpr Index kLargest = 80;
  for (const Conditioning& how : kConditionings) {
    SCOPED_TRACE(how.name);
    Random random(5);
    const MatrixXd pool = random.uniform_matrix(500, 3);
    const MatrixXd pool_matrix = positive_matrix(pool, how);
    std::vector<Index> held;  // which points of the pool the factor holds, in its order
    const auto draw = [&] {
      Index point = random.index(pool.rows());
      while (std::find(held.begin(), held.end(), point) != held.end()) {
        point = random.index(pool.rows());
      }
      held.push_back(point);
    };
    GrowingCholesky factor;
    double largest = 0.0;
    for (int operation = 1; operation <= kOperations; ++operation) {
      const double choice = random.uniform();
      if (choice < 0.5 && !held.empty()) {
        const Index j = random.index(std::ssize(held));
        remove(factor, j);
        held.erase(held.begin() + j);
      } else if (std::ssize(held) < kLargest) {
        const Index first = std::ssize(held);
        const Index count = choice < 0.9 ? 1 : 2 + random.index(5);
        for (Index i = 0; i < count; ++i) draw();
        const MatrixXd A = pool_matrix(held, held);
        ASSERT_TRUE(count == 1 ? append_row(factor, A, first)
                               : append_rows(factor, A, first, count));
      }
      ASSERT_EQ(factor.size(), std::ssize(held));
      if (operation % 100 == 0) {
        largest = std::max(largest, factor_residual(pool_matrix(held, held), dense(factor)));
      }
    }
    RecordProperty(how.name, std::to_string(largest));
    EXPECT_LT(largest, kLargestScaledResidual);
  }
}

// Powers of two change no digit unless something overflows or underflows on the way.
TEST(GrowingCholesky, UnitsChangeNoBit) {
  const MatrixXd A = positive_matrix(23, kConditionings[1]);
  GrowingCholesky plain = fresh(A);
  remove(plain, 5);
  append(plain, A.col(5).head(22), 2.0);
  for (const double unit : {0x1p-480, 0x1p480}) {  // A itself reaches 1e±289
    const MatrixXd scaled = A * unit * unit;
    GrowingCholesky factor = fresh(scaled);
    remove(factor, 5);
    append(factor, scaled.col(5).head(22), 2.0 * unit * unit);
    EXPECT_EQ(dense(factor), dense(plain) * unit) << unit;
  }
}

TEST(GrowingCholesky, RefusedAppendChangesNothing) {
  const MatrixXd A = positive_matrix(6, kConditionings[1]);
  GrowingCholesky factor = fresh(A);
  const MatrixXd before = dense(factor);
  const VectorXd repeated = A.col(2);
  // A diagonal that leaves nothing, less than nothing, or too little after the projection.
  EXPECT_LE(append(factor, repeated, 1.0), 0.0);
  EXPECT_LE(append(factor, repeated, -1.0), 0.0);
  EXPECT_GT(append(factor, repeated, A(2, 2) + 1e-3, 1e-2), 0.0);
  EXPECT_TRUE(std::isnan(append(factor, repeated, kNan)));
  EXPECT_TRUE(std::isnan(append(factor, VectorXd::Constant(6, kNan), 1.0)));
  EXPECT_EQ(factor.size(), 6);
  EXPECT_EQ(dense(factor), before);
}

TEST(GrowingCholesky, RefusedBlockChangesNothing) {
  const MatrixXd A = positive_matrix(9, kConditionings[1]);
  GrowingCholesky factor = fresh(A.topLeftCorner(6, 6));
  const MatrixXd before = dense(factor);
  const auto refuses = [&](const MatrixXd& whole, double smallest_pivot_squared) {
    MatrixXd cross = whole.topRightCorner(6, 3);
    MatrixXd block = whole.bottomRightCorner(3, 3);
    return !factor.append_block(cross, block, smallest_pivot_squared) && factor.size() == 6 &&
           dense(factor) == before;
  };
  MatrixXd indefinite = A;
  indefinite(8, 8) = 0.1;
  EXPECT_TRUE(refuses(indefinite, 0.0));
  // None of these pivots² exceeds the diagonal.
  EXPECT_TRUE(refuses(A, 2.0));
}

TEST(GrowingCholesky, NanInABlockIsRefused) {
  for (const Index n : {Index{1}, Index{2}, Index{5}, Index{40}}) {
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j <= i; j += 1 + n / 8) {
        MatrixXd A = positive_matrix(n, kConditionings[1]);
        A(i, j) = A(j, i) = kNan;
        GrowingCholesky factor;
        EXPECT_FALSE(append_rows(factor, A, 0, n)) << n << ": " << i << ", " << j;
        EXPECT_EQ(factor.size(), 0);
      }
    }
  }
  MatrixXd A = positive_matrix(6, kConditionings[1]);
  GrowingCholesky factor = fresh(A.topLeftCorner(4, 4));
  A(1, 5) = kNan;
  EXPECT_FALSE(append_rows(factor, A, 4, 2));
  EXPECT_EQ(factor.size(), 4);
}

TEST(GrowingCholesky, ReservedMemoryIsNotGrownByAppends) {
  const MatrixXd A = positive_matrix(50, kConditionings[1]);
  GrowingCholesky factor;
  EXPECT_EQ(factor.memory_bytes(), 0u);
  factor.reserve(50);
  const std::size_t reserved = factor.memory_bytes();
  // The lower triangle, with room for a few gaps and at most one panel's worth of padding per
  // column.
  EXPECT_GE(reserved, sizeof(double) * 50 * 51 / 2);
  EXPECT_LE(reserved, sizeof(double) * 56 * 60 / 2 + sizeof(double) * 56 + sizeof(int) * 50);
  for (Index i = 0; i < 50; ++i) ASSERT_TRUE(append_row(factor, A, i));
  EXPECT_EQ(factor.memory_bytes(), reserved);
  remove(factor, 7);
  EXPECT_EQ(factor.memory_bytes(), reserved);
  factor.clear();
  EXPECT_EQ(factor.size(), 0);
  EXPECT_EQ(factor.memory_bytes(), reserved);
  EXPECT_TRUE(append_rows(factor, A, 0, 50));
  EXPECT_EQ(factor.memory_bytes(), reserved);
}

}  // namespace
}  // namespace splitgp::growing_cholesky_test
