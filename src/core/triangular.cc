#include "core/triangular.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

// Up to this size, halves cost more than they save.
constexpr Index kSmall = 32;

}  // namespace

void invert_lower(Eigen::Ref<MatrixXd> A, Eigen::Ref<MatrixXd> scratch) {
  const Index n = A.rows();
  if (n <= kSmall) {
    for (Index j = 0; j < n; ++j) {
      A(j, j) = 1.0 / A(j, j);
      for (Index i = j + 1; i < n; ++i) {
        const double sum = A.row(i).segment(j, i - j).dot(A.col(j).segment(j, i - j));
        A(i, j) = -sum / A(i, i);
      }
    }
    return;
  }
  // [A 0; B C]⁻¹ = [A⁻¹ 0; −C⁻¹BA⁻¹ C⁻¹]
  const Index h = n / 2;
  auto B = A.bottomLeftCorner(n - h, h);
  auto product = scratch.bottomLeftCorner(n - h, h);
  A.bottomRightCorner(n - h, n - h).triangularView<Eigen::Lower>().solveInPlace(B);
  invert_lower(A.topLeftCorner(h, h), scratch.topLeftCorner(h, h));
  product.noalias() = B * A.topLeftCorner(h, h).triangularView<Eigen::Lower>();
  B = -product;
  invert_lower(A.bottomRightCorner(n - h, n - h), scratch.bottomRightCorner(n - h, n - h));
}

void transpose_times_self(const Eigen::Ref<const MatrixXd>& A, Eigen::Ref<MatrixXd> result) {
  const Index n = A.rows();
  if (n <= kSmall) {
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) result(i, j) = A.col(i).tail(n - i).dot(A.col(j).tail(n - i));
    }
    return;
  }
  // [A 0; B C]ᵀ[A 0; B C] = [AᵀA + BᵀB ·; CᵀB CᵀC]
  const Index h = n / 2;
  const auto B = A.bottomLeftCorner(n - h, h);
  const auto C = A.bottomRightCorner(n - h, n - h);
  transpose_times_self(A.topLeftCorner(h, h), result.topLeftCorner(h, h));
  result.topLeftCorner(h, h).selfadjointView<Eigen::Lower>().rankUpdate(B.transpose(), 1.0);
  result.bottomLeftCorner(n - h, h).noalias() = C.transpose().triangularView<Eigen::Upper>() * B;
  transpose_times_self(C, result.bottomRightCorner(n - h, n - h));
}

}  // namespace splitgp
