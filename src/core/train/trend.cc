#include "core/train/trend.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernel/kernel.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Where a local GP leaves this share of the signal variance, its word and the trend's count half:
// on the Barrett arm, rows between recorded ones leave at most some 1e-3, held-out stretches half.
constexpr double kReach = 0.1;

// An input's part of the trend grows up to so many times as far from its mean as all but this share
// of the observations are. A broken sensor's reading is beyond that; a column of time hardly
// is, since the stream has grown by half when Train is called again.
constexpr double kBeyond = 2.0;
constexpr double kOutliers = 0.01;

// Sets where the trend of each input begins and ends.
void set_range(const TrainingSet& set, Hyperparameters& theta) {
  theta.trend_origin = set.input_mean;
  theta.trend_range = VectorXd::Zero(set.input_mean.size());
  std::vector<double> distances;
  for (Index k = 0; k < set.input_mean.size(); ++k) {
    distances.clear();
    for (const TrainingSet::Block& block : set.blocks) {
      for (Index j = 0; j < block.inputs.rows(); ++j)
        distances.push_back(std::abs(block.inputs(j, k) - set.input_mean(k)));
    }
    if (distances.empty()) continue;
    // At least one, of however few observations.
    const auto n = std::ssize(distances);
    const auto few = 1 + static_cast<Index>(kOutliers * static_cast<double>(n));
    const auto at = distances.begin() + std::max<Index>(0, n - 1 - few);
    std::nth_element(distances.begin(), at, distances.end());
    theta.trend_range(k) = kBeyond * *at;
  }
}

// The observations of a block before number `until`: their inputs and, for the regression, a column
// of ones and the inputs in spreads from their mean, and the outputs in spreads from theirs.
struct Rows {
  MatrixXd inputs;
  MatrixXd columns;  // n × (1 + d)
  MatrixXd outputs;
  VectorXd noise_variance;
};

Rows rows_before(const TrainingSet& set, const TrainingSet::Block& block,
                 const Hyperparameters& theta, std::uint64_t until) {
  std::vector<Index> rows;
  for (Index j = 0; j < block.inputs.rows(); ++j) {
    if (block.sequence[static_cast<std::size_t>(j)] < until) rows.push_back(j);
  }
  const Index d = block.inputs.cols();
  Rows result{block.inputs(rows, Eigen::all), MatrixXd::Zero(std::ssize(rows), 1 + d),
              block.outputs(rows, Eigen::all), block.noise_variance(rows)};
  result.columns.col(0).setOnes();
  for (Index k = 0; k < d; ++k) {
    if (set.constant_input[static_cast<std::size_t>(k)]) continue;
    // Beyond the range a reading tells nothing of the slope.
    for (Index j = 0; j < result.inputs.rows(); ++j) {
      const double distance = result.inputs(j, k) - set.input_mean(k);
      if (std::abs(distance) <= theta.trend_range(k))
        result.columns(j, 1 + k) = distance / set.input_spread(k);
    }
  }
  for (Index o = 0; o < result.outputs.cols(); ++o) {
    result.outputs.col(o) =
        (result.outputs.col(o).array() - set.output_mean(o)) / set.output_spread(o);
  }
  return result;
}

// CᵀWC and CᵀWY for the columns C and the outputs Y, and W the inverse of their covariance.
struct NormalEquations {
  MatrixXd left, right;

  NormalEquations(Index d, Index p)
      : left(MatrixXd::Zero(1 + d, 1 + d)), right(MatrixXd::Zero(1 + d, p)) {}

  void add(const MatrixXd& C, const MatrixXd& Y) {
    left.noalias() += C.transpose() * C;
    right.noalias() += C.transpose() * Y;
  }

  // Sets the mean and the slopes of output o; false if they are not finite.
  bool solve(const TrainingSet& set, Index o, double ridge, Hyperparameters& theta) const {
    MatrixXd ridged = left;
    ridged.diagonal().array() += ridge;
    const VectorXd slopes = ridged.ldlt().solve(right.col(o));
    if (!slopes.allFinite()) return false;
    theta.mean(o) = set.output_mean(o) + set.output_spread(o) * slopes(0);
    const Index d = set.input_spread.size();
    for (Index k = 0; k < d; ++k) {
      theta.trend_slope(o * d + k) = set.output_spread(o) * slopes(1 + k) / set.input_spread(k);
    }
    return true;
  }
};

}  // namespace

bool has_trend(const Hyperparameters& theta) { return (theta.trend_slope.array() != 0.0).any(); }
bool falls_back(const Hyperparameters& theta) {
  return theta.trend_reach > 0.0 && has_trend(theta);
}

Hyperparameters without_trend(Hyperparameters theta) {
  theta.trend_slope.setZero();
  theta.trend_origin.setZero();
  theta.trend_reach = 0.0;
  return theta;
}

Hyperparameters with_trend(const TrainingSet& set, const Hyperparameters& theta,
                           std::uint64_t until) {
  const Index p = set.output_spread.size();
  Hyperparameters result = theta;
  result.trend_reach = 0.0;
  set_range(set, result);
  const Kernel kernel(theta);
  NormalEquations equations(set.input_spread.size(), p);
  for (const TrainingSet::Block& block : set.blocks) {
    Rows rows = rows_before(set, block, result, until);
    const Index n = rows.inputs.rows();
    if (n == 0) continue;
    MatrixXd K(n, n);
    kernel.lower_triangle(rows.inputs, K);
    K.diagonal() += rows.noise_variance;
    K.diagonal().array() += theta.noise_variance;
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(K);
    if (factor.info() != Eigen::Success) return theta;
    factor.matrixL().solveInPlace(rows.columns);
    factor.matrixL().solveInPlace(rows.outputs);
    equations.add(rows.columns, rows.outputs);
  }
  for (Index o = 0; o < p; ++o) {
    // K is that of an output of scale 1, the prior's unit the spread.
    const double unit = set.output_spread(o) / theta.output_scale(o);
    if (!equations.solve(set, o, 1.0 / (unit * unit), result)) return theta;
  }
  return result;
}

Hyperparameters with_fallback(const TrainingSet& set, const Hyperparameters& theta,
                              std::uint64_t until) {
  const Index p = set.output_spread.size();
  Hyperparameters result = theta;
  result.trend_reach = kReach;
  set_range(set, result);
  NormalEquations equations(set.input_spread.size(), p);
  for (const TrainingSet::Block& block : set.blocks) {
    const Rows rows = rows_before(set, block, result, until);
    equations.add(rows.columns, rows.outputs);
  }
  for (Index o = 0; o < p; ++o) {
    if (!equations.solve(set, o, 1.0, result)) return theta;
  }
  return result;
}

}  // namespace splitgp
