#include "core/forward_check.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/kernel.h"
#include "core/log_likelihood.h"

namespace splitgp {
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::uint64_t two_thirds(const TrainingSet& set) {
  std::vector<std::uint64_t> all;
  for (const TrainingSet::Block& block : set.blocks)
    all.insert(all.end(), block.sequence.begin(), block.sequence.end());
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(all.size() * 2 / 3);
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

ForwardScore predict_forward(const TrainingSet& set, const Hyperparameters& theta,
                             std::uint64_t cut) {
  const Kernel kernel(theta);
  ForwardScore score;
  double count = 0;
  for (const TrainingSet::Block& block : set.blocks) {
    const Index n = block.inputs.rows();
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return block.sequence[static_cast<std::size_t>(a)] < block.sequence[static_cast<std::size_t>(b)];
    });
    Index e = 0;
    while (e < n && block.sequence[static_cast<std::size_t>(order[static_cast<std::size_t>(e)])] < cut) ++e;
    if (e == n) continue;
    const MatrixXd X = block.inputs(order, Eigen::all);
    const MatrixXd R = residuals(block, theta)(order, Eigen::all);
    MatrixXd K(n, n);
    for (Index j = 0; j < n; ++j) {
      auto column = K.col(j).tail(n - j);
      kernel.squared_distances(X.bottomRows(n - j), X.row(j).transpose(), column);
      kernel.values_in_place(column.array());
      K(j, j) += theta.noise_variance + block.noise_variance(order[static_cast<std::size_t>(j)]);
    }
    const VectorXd diagonal = K.diagonal();
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(K);
    MatrixXd Z = R;
    factor.matrixL().solveInPlace(Z);
    for (Index o = 0; o < R.cols(); ++o) {
      const double unit = theta.output_scale(o) / set.output_spread(o);
      for (Index j = e; j < n; ++j) {
        const double var = diagonal(j) - K.row(j).head(e).squaredNorm();
        const double err = R(j, o) - K.row(j).head(e).dot(Z.col(o).head(e));
        score.squared_error += std::pow(err * unit, 2);
        score.nlpd += 0.5 * (std::log(6.2831853 * var * unit * unit) + err * err / var);
        const double serr = Z(j, o) * K(j, j);
        score.step_squared_error += std::pow(serr * unit, 2);
        score.step_nlpd += 0.5 * (std::log(6.2831853 * K(j, j) * K(j, j) * unit * unit) + Z(j, o) * Z(j, o));
        ++count;
      }
    }
  }
  score.squared_error /= count;
  score.nlpd /= count;
  score.step_squared_error /= count;
  score.step_nlpd /= count;
  return score;
}
}  // namespace splitgp
