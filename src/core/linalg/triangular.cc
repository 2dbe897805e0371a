#include "core/linalg/triangular.h"

#include <Eigen/Cholesky>

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

// Up to these sizes, halves cost more than they save.
constexpr Index kSmallFactor = 32;
constexpr Index kSmallInverse = 16;
constexpr Index kSmallProduct = 32;

// Halves are whole vectors of the widest instructions.
Index half(Index n) { return (n / 2 + 7) / 8 * 8; }

// Column by column from the last: that of the inverse is −C⁻¹b/a, with C⁻¹ already in place.
void invert_small(Eigen::Ref<MatrixXd> A) {
  const Index n = A.rows();
  for (Index j = n - 1; j >= 0; --j) {
    A(j, j) = 1.0 / A(j, j);
    auto b = A.col(j).tail(n - 1 - j);
    for (Index k = b.size() - 1; k >= 0; --k) {
      const auto c = A.col(j + 1 + k).tail(b.size() - k);
      b.tail(b.size() - k - 1) += b(k) * c.tail(c.size() - 1);
      b(k) *= c(0);
    }
    b *= -A(j, j);
  }
}

}  // namespace

bool factorise_lower(Eigen::Ref<MatrixXd> A) {
  const Index n = A.rows();
  if (n <= kSmallFactor) {
    const Eigen::LLT<Eigen::Ref<MatrixXd>> llt(A);
    // It takes NaN for a pivot.
    return llt.info() == Eigen::Success && (A.diagonal().array() > 0.0).all();
  }
  // [A ·; B C] = [L 0; M N][L 0; M N]ᵀ with LLᵀ = A, M = BL⁻ᵀ and NNᵀ = C − MMᵀ
  const Index h = half(n);
  const auto L = A.topLeftCorner(h, h);
  auto M = A.bottomLeftCorner(n - h, h);
  if (!factorise_lower(L)) return false;
  L.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(M);
  A.bottomRightCorner(n - h, n - h).selfadjointView<Eigen::Lower>().rankUpdate(M, -1.0);
  return factorise_lower(A.bottomRightCorner(n - h, n - h));
}

void invert_lower(Eigen::Ref<MatrixXd> A, Eigen::Ref<MatrixXd> scratch) {
  const Index n = A.rows();
  if (n <= kSmallInverse) return invert_small(A);
  // [A 0; B C]⁻¹ = [A⁻¹ 0; −C⁻¹BA⁻¹ C⁻¹]
  const Index h = half(n);
  const auto C = A.bottomRightCorner(n - h, n - h);
  auto B = A.bottomLeftCorner(n - h, h);
  auto product = scratch.bottomLeftCorner(n - h, h);
  invert_lower(A.topLeftCorner(h, h), scratch.topLeftCorner(h, h));
  invert_lower(C, scratch.bottomRightCorner(n - h, n - h));
  product.noalias() = C.triangularView<Eigen::Lower>() * B;
  B.noalias() = product * A.topLeftCorner(h, h).triangularView<Eigen::Lower>();
  B = -B;
}

void transpose_times_self(const Eigen::Ref<const MatrixXd>& A, Eigen::Ref<MatrixXd> result) {
  const Index n = A.rows();
  if (n <= kSmallProduct) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) result(i, j) = A.col(i).tail(n - i).dot(A.col(j).tail(n - i));
    }
    return;
  }
  // [A 0; B C]ᵀ[A 0; B C] = [AᵀA + BᵀB ·; CᵀB CᵀC]
  const Index h = half(n);
  const auto B = A.bottomLeftCorner(n - h, h);
  const auto C = A.bottomRightCorner(n - h, n - h);
  transpose_times_self(A.topLeftCorner(h, h), result.topLeftCorner(h, h));
  result.topLeftCorner(h, h).selfadjointView<Eigen::Lower>().rankUpdate(B.transpose(), 1.0);
  result.bottomLeftCorner(n - h, h).noalias() = C.transpose().triangularView<Eigen::Upper>() * B;
  transpose_times_self(C, result.bottomRightCorner(n - h, n - h));
}

}  // namespace splitgp
