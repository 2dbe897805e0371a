#pragma once

#include <Eigen/Core>

namespace splitgp {

/// Factors, inverses and products of lower triangular matrices, by halves, so that most of the work
/// is matrix products. Only lower triangles are read and written.

/// A ← L with LLᵀ = A; false if A is not positive definite, and is then spoilt.
bool factorise_lower(Eigen::Ref<Eigen::MatrixXd> A);

/// A ← A⁻¹. `scratch` is as large as A, and is overwritten.
void invert_lower(Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::MatrixXd> scratch);

/// The lower triangle of AᵀA, into `result`.
void transpose_times_self(const Eigen::Ref<const Eigen::MatrixXd>& A,
                          Eigen::Ref<Eigen::MatrixXd> result);

}  // namespace splitgp
