#include "core/train/forward_check.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "core/kernel/kernel.h"
#include "core/kernel/prior_mean.h"
#include "core/train/log_likelihood.h"
#include "core/train/trend.h"

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Errors of neighbouring rows of a stream hang together, so the gain is averaged over this many
// stretches of the later third, whose means are all but independent; it must exceed this many of
// their standard errors.
constexpr std::size_t kStretches = 8;
constexpr std::size_t kFewest = 2 * kStretches;
constexpr double kStandardErrors = 2.0;
// The least gain in squared error over a gap that is worth a fallback.
constexpr double kWorthFallingBack = 0.8;

// The first number of the later third.
std::uint64_t later_third(const TrainingSet& set) {
  std::vector<std::uint64_t> all;
  for (const TrainingSet::Block& block : set.blocks)
    all.insert(all.end(), block.sequence.begin(), block.sequence.end());
  if (all.empty()) return kAllObservations;
  const auto at = all.begin() + std::ssize(all) * 2 / 3;
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

// A block in the order of the stream, with its factor.
struct Ordered {
  Index earlier = 0;  // how many rows come before the later third
  std::vector<std::uint64_t> sequence;
  MatrixXd inputs;
  MatrixXd residuals;  // (y − prior mean) / output_scale
  VectorXd diagonal;   // of K
  MatrixXd factor;     // L, lower triangle
  MatrixXd solved;     // L⁻¹ residuals
};

std::vector<Index> in_order(const TrainingSet::Block& block) {
  std::vector<Index> order(block.sequence.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return block.sequence[static_cast<std::size_t>(a)] <
           block.sequence[static_cast<std::size_t>(b)];
  });
  return order;
}

// False if there is nothing to predict in it, or its kernel matrix is not positive definite.
bool factorise(const TrainingSet::Block& block, const Hyperparameters& theta, std::uint64_t later,
               Ordered& result) {
  result.earlier = std::count_if(block.sequence.begin(), block.sequence.end(),
                                 [&](std::uint64_t number) { return number < later; });
  const Index n = block.inputs.rows();
  if (result.earlier == n) return false;
  const std::vector<Index> order = in_order(block);
  result.sequence.clear();
  for (const Index j : order)
    result.sequence.push_back(block.sequence[static_cast<std::size_t>(j)]);
  result.inputs = block.inputs(order, Eigen::all);
  result.residuals = residuals(block, theta)(order, Eigen::all);
  const VectorXd noise = block.noise_variance(order);
  const Kernel kernel(theta);
  MatrixXd& K = result.factor;
  K.resize(n, n);
  kernel.lower_triangle(result.inputs, K);
  for (Index j = 0; j < n; ++j) K(j, j) += theta.noise_variance + noise(j);
  result.diagonal = K.diagonal();
  const Eigen::LLT<Eigen::Ref<MatrixXd>> llt(K);
  if (llt.info() != Eigen::Success) return false;
  result.solved = result.residuals;
  llt.matrixL().solveInPlace(result.solved);
  return true;
}

// Of each row of the later third, given all rows of its block that came before it; the outputs'
// mean. A row of L⁻¹r is an error in its own standard deviations, L's diagonal.
struct NextRows {
  struct Row {
    std::uint64_t sequence;
    double log_density;
  };
  static bool is_earlier(const Row& a, const Row& b) { return a.sequence < b.sequence; }

  std::vector<Row> rows;
  double squared_error = 0.0;
};

NextRows predict_next_rows(const TrainingSet& set, const Hyperparameters& theta,
                           std::uint64_t later) {
  NextRows result;
  Ordered block;
  const VectorXd unit = theta.output_scale.cwiseQuotient(set.output_spread);
  const auto p = static_cast<double>(unit.size());
  for (const TrainingSet::Block& unordered : set.blocks) {
    if (!factorise(unordered, theta, later, block)) continue;
    for (Index j = block.earlier; j < block.solved.rows(); ++j) {
      double log_density = 0.0;
      for (Index o = 0; o < unit.size(); ++o) {
        const double deviation = block.factor(j, j) * unit(o);
        const double z = block.solved(j, o);
        log_density -= 0.5 * (z * z + std::log(2.0 * std::numbers::pi)) + std::log(deviation);
        result.squared_error += z * z * deviation * deviation;
      }
      result.rows.push_back({block.sequence[static_cast<std::size_t>(j)], log_density / p});
    }
  }
  return result;
}

}  // namespace

ForwardCheck check_trend(const TrainingSet& set, const Hyperparameters& without,
                         const Hyperparameters& with) {
  const std::uint64_t later = later_third(set);
  NextRows a = predict_next_rows(set, without, later);
  NextRows b = predict_next_rows(set, with_trend(set, with, later), later);
  ForwardCheck result;
  const std::size_t n = a.rows.size();
  if (n < kFewest || b.rows.size() != n) return result;
  std::stable_sort(a.rows.begin(), a.rows.end(), NextRows::is_earlier);
  std::stable_sort(b.rows.begin(), b.rows.end(), NextRows::is_earlier);
  std::array<double, kStretches> gain{};
  for (std::size_t s = 0; s < kStretches; ++s) {
    const std::size_t first = s * n / kStretches;
    const std::size_t last = (s + 1) * n / kStretches;
    for (std::size_t i = first; i < last; ++i) {
      gain[s] +=
          (b.rows[i].log_density - a.rows[i].log_density) / static_cast<double>(last - first);
      result.without += a.rows[i].log_density / static_cast<double>(n);
      result.with += b.rows[i].log_density / static_cast<double>(n);
    }
  }
  constexpr auto kCount = static_cast<double>(kStretches);
  const double mean = std::accumulate(gain.begin(), gain.end(), 0.0) / kCount;
  double squares = 0.0;
  for (const double g : gain) squares += (g - mean) * (g - mean);
  const double margin = kStandardErrors * std::sqrt(squares / (kCount - 1.0) / kCount);
  result.trend_wins = mean > margin && b.squared_error < a.squared_error;
  result.trend_loses = mean < -margin && a.squared_error < b.squared_error;
  return result;
}

bool check_fallback(const TrainingSet& set, const Hyperparameters& theta) {
  const std::uint64_t later = later_third(set);
  const Hyperparameters with = with_fallback(set, theta, later);
  const PriorMean prior_mean(with);
  if (!prior_mean.falls_back()) return false;
  double alone = 0.0, falling_back = 0.0;
  Ordered block;
  for (const TrainingSet::Block& unordered : set.blocks) {
    if (!factorise(unordered, with, later, block)) continue;
    const Index n = block.earlier;
    for (Index j = n; j < block.solved.rows(); ++j) {
      const auto w = block.factor.row(j).head(n);
      const double share_left = std::max(0.0, 1.0 - w.squaredNorm() / with.signal_variance);
      const double trust = trust_in_posterior(share_left, with.trend_reach);
      const auto x = block.inputs.row(j);
      for (Index o = 0; o < block.solved.cols(); ++o) {
        const double unit = with.output_scale(o) / set.output_spread(o);
        const double trend = (prior_mean.trend(o, x) - with.mean(o)) / with.output_scale(o);
        const double posterior = w.dot(block.solved.col(o).head(n));
        const double error = block.residuals(j, o) - posterior;
        const double shrunk = block.residuals(j, o) - trend - trust * (posterior - trend);
        alone += std::pow(error * unit, 2);
        falling_back += std::pow(shrunk * unit, 2);
      }
    }
  }
  return falling_back < kWorthFallingBack * alone;
}

}  // namespace splitgp
