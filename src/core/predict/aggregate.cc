#include "core/predict/aggregate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace splitgp {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// log t_i = log(1 − k_(q+1)/k_i): 0 at the rank boundary on both sides, so nothing jumps there.
double log_taper(double log_similarity, double outsider) {
  if (outsider == kNever) return 0.0;
  return std::log(-std::expm1(std::min(0.0, outsider - log_similarity)));
}

// log (σ_0²/σ_i² − 1)², from σ_0² − σ_i² itself: a difference here would cancel far from the data.
double log_evidence(const LocalGp::Posterior& posterior) {
  return 2.0 * (std::log(posterior.explained) - std::log(posterior.variance));
}

// Replaces logs by weights that sum to 1; false if all of them are log 0.
bool normalise(std::vector<double>& logs) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  if (largest == kNever) return false;
  double sum = 0.0;
  for (double& value : logs) sum += value = std::exp(value - largest);
  for (double& value : logs) value /= sum;
  return true;
}

}  // namespace

bool aggregation_weights(std::span<const Candidate> candidates, double outsider,
                         const Options& options, std::vector<double>& weights) {
  assert(!candidates.empty());
  weights.assign(candidates.size(), 0.0);
  if (options.comparison.aggregation == Aggregation::nearest) {
    weights.front() = 1.0;
    return true;
  }
  const double fade = options.comparison.taper ? outsider : kNever;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    weights[i] = log_taper(candidates[i].log_similarity, fade) +
                 (options.comparison.aggregation == Aggregation::evidence
                      ? log_evidence(candidates[i].posterior)
                      : candidates[i].log_similarity);
  }
  if (normalise(weights)) return true;
  // Either no local GP knows anything here (all answer with the prior), or more than q of them
  // share one center. Similarity then decides, as in the paper.
  for (std::size_t i = 0; i < candidates.size(); ++i) weights[i] = candidates[i].log_similarity;
  normalise(weights);
  return false;
}

LogWeightSlopes log_weight_slopes(const Candidate& candidate, double outsider,
                                  const Options& options, bool decided) {
  LogWeightSlopes slopes;
  if (options.comparison.aggregation == Aggregation::nearest) return slopes;
  if (!decided) {
    slopes.similarity = 1.0;
    return slopes;
  }
  if (options.comparison.taper && outsider != kNever) {
    // d log(1 − exp(o − s)) = (ds − do) / (exp(s − o) − 1)
    const double rate = 1.0 / std::expm1(candidate.log_similarity - outsider);
    slopes.similarity += rate;
    slopes.outsider -= rate;
  }
  if (options.comparison.aggregation == Aggregation::similarity) {
    slopes.similarity += 1.0;
    return slopes;
  }
  // Below the smallest normal number `explained` has no digits left that could have a slope.
  if (candidate.posterior.explained >= std::numeric_limits<double>::min())
    slopes.explained = 2.0 / candidate.posterior.explained;
  slopes.variance = -2.0 / candidate.posterior.variance;
  return slopes;
}

}  // namespace splitgp
