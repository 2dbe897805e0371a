#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/linalg/growing_cholesky.h"
#include "support/factor.h"
#include "support/positive_matrix.h"
#include "support/scaled_residual.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::append;
using testing::Conditioning;
using testing::dense;
using testing::kConditionings;
using testing::kLargestScaledResidual;
using testing::positive_matrix;
using testing::Random;
using testing::solve_residual;

// 4 and 8 fill the panels, the others do not.
constexpr std::array<Index, 9> kSizes{0, 1, 2, 3, 4, 5, 8, 50, 203};

GrowingCholesky factor_of(MatrixXd A) {
  GrowingCholesky factor;
  MatrixXd no_cross(0, A.rows());
  EXPECT_TRUE(factor.append_block(no_cross, A));
  return factor;
}

TEST(GrowingCholeskySolve, BothSolvesAreBackwardStable) {
  for (const Conditioning& how : kConditionings) {
    for (const Index n : kSizes) {
      SCOPED_TRACE(::testing::Message() << how.name << ", n = " << n);
      const GrowingCholesky factor = factor_of(positive_matrix(n, how));
      const MatrixXd L = dense(factor);
      const MatrixXd B = Random(3).normal_matrix(n, 7);
      MatrixXd lower = B;
      factor.solve_lower(lower);
      EXPECT_LT(solve_residual(L, lower, B), kLargestScaledResidual);
      MatrixXd upper = B;
      factor.solve_upper(upper);
      EXPECT_LT(solve_residual(L.transpose(), upper, B), kLargestScaledResidual);
    }
  }
}

TEST(GrowingCholeskySolve, ManyRightHandSidesHaveTheBitsOfSingleOnes) {
  for (const Index n : kSizes) {
    const GrowingCholesky factor = factor_of(positive_matrix(n, kConditionings[1]));
    for (const Index count : {0, 1, 2, 3, 4, 5, 8, 11}) {
      const MatrixXd B = Random(4).normal_matrix(n, count);
      MatrixXd lower = B;
      MatrixXd upper = B;
      factor.solve_lower(lower);
      factor.solve_upper(upper);
      for (Index c = 0; c < count; ++c) {
        VectorXd one = B.col(c);
        factor.solve_lower(one);
        EXPECT_EQ(one, lower.col(c)) << n << " rows, column " << c << " of " << count;
        one = B.col(c);
        factor.solve_upper(one);
        EXPECT_EQ(one, upper.col(c)) << n << " rows, column " << c << " of " << count;
      }
    }
  }
}

TEST(GrowingCholeskySolve, BlockOfALargerMatrixIsSolvedInPlace) {
  const Index n = 13;
  const GrowingCholesky factor = factor_of(positive_matrix(n, kConditionings[1]));
  const MatrixXd around = Random(6).normal_matrix(n + 5, 9);
  MatrixXd inside = around.block(3, 2, n, 6);
  MatrixXd strided = around;

  factor.solve_lower(inside);
  factor.solve_lower(strided.block(3, 2, n, 6));
  MatrixXd expected = around;
  expected.block(3, 2, n, 6) = inside;
  EXPECT_EQ(strided, expected);  // the same bits inside, nothing touched outside

  factor.solve_upper(inside);
  factor.solve_upper(strided.block(3, 2, n, 6));
  expected.block(3, 2, n, 6) = inside;
  EXPECT_EQ(strided, expected);
}

TEST(GrowingCholeskySolve, RemoveCarriesSolvedAlong) {
  for (const Conditioning& how : kConditionings) {
    for (const Index n : {1, 2, 3, 4, 5, 10, 50}) {
      const GrowingCholesky all = factor_of(positive_matrix(n, how));
      const MatrixXd B = Random(8).normal_matrix(n, 3);
      MatrixXd all_solved = B;
      all.solve_lower(all_solved);
      for (Index j = 0; j < n; ++j) {
        SCOPED_TRACE(::testing::Message() << how.name << ", n = " << n << ", removed = " << j);
        MatrixXd rest(n - 1, 3);
        rest << B.topRows(j), B.bottomRows(n - 1 - j);
        GrowingCholesky factor = all;
        // Spare rows and columns around it, as a local GP keeps them.
        MatrixXd spare = MatrixXd::Constant(n + 4, 5, 7.0);
        spare.block(0, 1, n, 3) = all_solved;
        factor.remove(j, spare.block(0, 1, n, 3));
        const MatrixXd solved = spare.block(0, 1, n - 1, 3);
        EXPECT_LT(solve_residual(dense(factor), solved, rest), kLargestScaledResidual);
        EXPECT_TRUE((spare.col(0).array() == 7.0).all() && (spare.col(4).array() == 7.0).all() &&
                    (spare.bottomRows(4).array() == 7.0).all());

        factor.solve_lower(rest);
        // Two backward stable answers differ by cond(L)·n·ε = √cond(A)·n·ε at most, times a little:
        // √(n/noise)·n·ε < 1e-9 in the worst case here.
        EXPECT_LT((solved - rest).norm(), 1e-9 * (1.0 + rest.norm()));
      }
    }
  }
}

// Ten thousand rounds of one in, one out: what a local GP does once it is full.
TEST(GrowingCholeskySolve, SolvedStaysAccurateInASlidingWindow) {
  constexpr Index kWindow = 30;
  for (const Conditioning& how : kConditionings) {
    SCOPED_TRACE(how.name);
    Random random(9);
    const MatrixXd A = positive_matrix(random.uniform_matrix(kWindow + 1, 3), how);
    const VectorXd b = random.normal_matrix(kWindow + 1, 1);
    // Which row of A each row of the factor is. The one left out comes in, another one leaves.
    std::vector<Index> held(kWindow);
    for (Index i = 0; i < kWindow; ++i) held[static_cast<std::size_t>(i)] = i;
    Index outside = kWindow;
    GrowingCholesky factor = factor_of(A(held, held));
    VectorXd solved(kWindow + 1);
    solved.head(kWindow) = b.head(kWindow);
    factor.solve_lower(solved.head(kWindow));
    for (int round = 0; round < 10'000; ++round) {
      const VectorXd cross = A(held, outside);
      ASSERT_GT(append(factor, cross, A(outside, outside)), 0.0);
      held.push_back(outside);
      double rest = b(outside);
      for (Index k = 0; k < kWindow; ++k) rest -= factor(kWindow, k) * solved(k);
      solved(kWindow) = rest / factor(kWindow, kWindow);

      const Index j = random.index(kWindow);
      outside = held[static_cast<std::size_t>(j)];
      held.erase(held.begin() + j);
      factor.remove(j, solved);
    }
    EXPECT_LT(testing::factor_residual(A(held, held), dense(factor)), kLargestScaledResidual);
    EXPECT_LT(solve_residual(dense(factor), solved.head(kWindow), b(held)), kLargestScaledResidual);
  }
}

TEST(GrowingCholeskySolve, PivotsAreTheExtremesOfTheDiagonal) {
  GrowingCholesky factor;
  EXPECT_EQ(factor.largest_pivot(), 0.0);
  EXPECT_TRUE(std::isinf(factor.smallest_pivot()));
  factor.append_solved(VectorXd(0), 2.0);
  factor.append_solved(VectorXd::Constant(1, 9.0), 0.25);
  factor.append_solved(VectorXd::Constant(2, 9.0), 1.0);
  EXPECT_EQ(factor.largest_pivot(), 2.0);
  EXPECT_EQ(factor.smallest_pivot(), 0.25);
  EXPECT_EQ(factor(2, 1), 9.0);
  EXPECT_EQ(factor(2, 2), 1.0);
  EXPECT_EQ(dense(factor)(0, 2), 0.0);  // above the diagonal
}

}  // namespace
}  // namespace splitgp
