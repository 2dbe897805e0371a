#include "core/trend.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "core/kernel.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// The observations of a block before number `until`, all inputs in spreads from their mean after a
// column of ones, outputs in spreads from theirs.
struct Regression {
  MatrixXd inputs;   // raw, for the kernel
  MatrixXd columns;  // n × (1 + d)
  MatrixXd outputs;
  VectorXd noise_variance;
};

Regression rows_before(const TrainingSet& set, const TrainingSet::Block& block,
                       std::uint64_t until) {
  std::vector<Index> rows;
  for (Index j = 0; j < block.inputs.rows(); ++j) {
    if (block.sequence[static_cast<std::size_t>(j)] < until) rows.push_back(j);
  }
  const Index d = block.inputs.cols();
  Regression result{block.inputs(rows, Eigen::all), MatrixXd(std::ssize(rows), 1 + d),
                    block.outputs(rows, Eigen::all), block.noise_variance(rows)};
  result.columns.col(0).setOnes();
  for (Index k = 0; k < d; ++k) {
    auto column = result.columns.col(1 + k);
    if (set.constant_input[static_cast<std::size_t>(k)]) {
      column.setZero();
    } else {
      column = (result.inputs.col(k).array() - set.input_mean(k)) / set.input_spread(k);
    }
  }
  for (Index o = 0; o < result.outputs.cols(); ++o) {
    result.outputs.col(o) =
        (result.outputs.col(o).array() - set.output_mean(o)) / set.output_spread(o);
  }
  return result;
}

}  // namespace

bool has_trend(const Hyperparameters& theta) { return (theta.trend.array() != 0.0).any(); }

Hyperparameters without_trend(Hyperparameters theta) {
  theta.trend.setZero();
  theta.trend_origin.setZero();
  return theta;
}

Hyperparameters with_trend(const TrainingSet& set, const Hyperparameters& theta,
                           std::uint64_t until) {
  const Index d = set.input_spread.size();
  const Index p = set.output_spread.size();
  const Kernel kernel(theta);
  MatrixXd normal = MatrixXd::Zero(1 + d, 1 + d);  // CᵀK⁻¹C
  MatrixXd right = MatrixXd::Zero(1 + d, p);       // CᵀK⁻¹Y
  for (const TrainingSet::Block& block : set.blocks) {
    const Regression rows = rows_before(set, block, until);
    const Index n = rows.inputs.rows();
    if (n == 0) continue;
    MatrixXd K(n, n);
    for (Index j = 0; j < n; ++j) {
      auto column = K.col(j).tail(n - j);
      kernel.squared_distances(rows.inputs.bottomRows(n - j), rows.inputs.row(j).transpose(),
                               column);
      kernel.values_in_place(column.array());
    }
    K.diagonal() += rows.noise_variance;
    K.diagonal().array() += theta.noise_variance;
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(K);
    if (factor.info() != Eigen::Success) return theta;
    MatrixXd C = rows.columns, Y = rows.outputs;
    factor.matrixL().solveInPlace(C);
    factor.matrixL().solveInPlace(Y);
    normal.noalias() += C.transpose() * C;
    right.noalias() += C.transpose() * Y;
  }
  Hyperparameters result = theta;
  result.trend_origin = set.input_mean;
  for (Index o = 0; o < p; ++o) {
    // K is that of an output of scale 1: this turns the prior's unit, the spread, into that.
    const double unit = set.output_spread(o) / theta.output_scale(o);
    MatrixXd ridged = normal;
    ridged.diagonal().array() += 1.0 / (unit * unit);
    const VectorXd slopes = ridged.ldlt().solve(right.col(o));
    if (!slopes.allFinite()) return theta;
    result.mean(o) = set.output_mean(o) + set.output_spread(o) * slopes(0);
    for (Index k = 0; k < d; ++k) {
      result.trend(o * d + k) = set.output_spread(o) / set.input_spread(k) * slopes(1 + k);
    }
  }
  return result;
}

}  // namespace splitgp
