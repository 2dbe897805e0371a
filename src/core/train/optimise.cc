#include "core/train/optimise.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

namespace splitgp {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// How far a step goes: the quadratic that it maximises is trusted up to a radius, which grows and
// shrinks with what the steps really gain. Parameters are logs, so 1 is a factor of e.
constexpr double kFirstRadius = 1.5;
constexpr double kLargestRadius = 2.0;
constexpr double kSmallestRadius = 1e-5;

// Keeps a flat direction from asking for an endless step.
constexpr double kLeastCurvature = 1e-8;

// A race is not given up before so many evaluations, nor while so many times the possible gain
// would win it.
constexpr int kFairChance = 4;
constexpr double kBenefitOfTheDoubt = 4.0;

struct Step {
  VectorXd change;
  double possible_gain = 0.0;  // of the whole step to the quadratic's maximum
};

// The smallest λ for which (B + λI)⁻¹g is no longer than the radius: where that binds, flat
// directions are shortened, steep ones hardly.
template <typename Change>
double stiffening(const Change& change, double radius) {
  if (change(0.0).norm() <= radius) return 0.0;
  double low = 1e-8, high = 1e-8;
  while (change(high).norm() > radius) high *= 10.0;
  for (int i = 0; i < 20; ++i) {
    const double middle = std::sqrt(low * high);
    (change(middle).norm() > radius ? low : high) = middle;
  }
  return high;
}

// To the maximum of value + gradientᵀs − ½ sᵀBs, no longer than the radius, within the bounds.
// Parameters at a bound that they would leave stay there.
Step next_step(const VectorXd& at, const VectorXd& gradient, const MatrixXd& B,
               const VectorXd& lower, const VectorXd& upper, double radius) {
  std::vector<Index> free;
  for (Index i = 0; i < at.size(); ++i) {
    const bool held =
        (at(i) <= lower(i) && gradient(i) <= 0.0) || (at(i) >= upper(i) && gradient(i) >= 0.0);
    if (!held) free.push_back(i);
  }
  Step step{VectorXd::Zero(at.size())};
  if (free.empty()) return step;
  const VectorXd slope = gradient(free);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> B_free(B(free, free));
  const VectorXd along = B_free.eigenvectors().transpose() * slope;
  const VectorXd curvature = B_free.eigenvalues().cwiseMax(kLeastCurvature);
  const auto change = [&](double stiffer) -> VectorXd {
    return along.array() / (curvature.array() + stiffer);
  };
  step.possible_gain = 0.5 * change(0.0).dot(along);
  step.change(free) = B_free.eigenvectors() * change(stiffening(change, radius));
  step.change = (at + step.change).cwiseMax(lower).cwiseMin(upper) - at;
  return step;
}

// BFGS with Powell's damping: B stays positive definite whatever the step has met.
void learn_curvature(const VectorXd& step, VectorXd fall, MatrixXd& B) {
  const VectorXd Bs = B * step;
  const double sBs = step.dot(Bs);
  const double sy = step.dot(fall);
  if (!(sBs > 0.0) || !fall.allFinite()) return;
  if (sy < 0.2 * sBs) {
    const double keep = 0.8 * sBs / (sBs - sy);
    fall = keep * fall + (1.0 - keep) * Bs;
  }
  B += fall * fall.transpose() / step.dot(fall) - Bs * Bs.transpose() / sBs;
}

}  // namespace

Optimum maximise(const Differentiable& function, const MatrixXd& curvature, const VectorXd& start,
                 const VectorXd& lower, const VectorXd& upper, const StopWhen& stop) {
  Optimum best{start};
  VectorXd gradient(start.size());
  best.value = function(start, start.size() == 0 ? nullptr : &gradient);
  best.start_value = best.value;
  best.evaluations = 1;
  if (start.size() == 0 || !std::isfinite(best.value) || !gradient.allFinite()) return best;
  MatrixXd B = curvature;
  double radius = kFirstRadius;
  VectorXd slope(start.size());
  while (best.evaluations < stop.evaluations) {
    const Step step = next_step(best.parameters, gradient, B, lower, upper, radius);
    if (step.possible_gain <
        (best.evaluations == 1 ? std::max(stop.gain, stop.worthwhile) : stop.gain))
      break;
    if (best.evaluations >= kFairChance &&
        best.value + kBenefitOfTheDoubt * step.possible_gain < stop.beat)
      break;
    const double length = step.change.norm();
    if (length < kSmallestRadius) break;
    const VectorXd there = best.parameters + step.change;
    const double value = function(there, &slope);
    ++best.evaluations;
    if (!std::isfinite(value) || !slope.allFinite()) {
      radius = 0.25 * length;
      continue;
    }
    const double promised = gradient.dot(step.change) - 0.5 * step.change.dot(B * step.change);
    const double kept = (value - best.value) / promised;
    learn_curvature(step.change, gradient - slope, B);
    if (kept < 0.25) {
      radius = 0.3 * length;
    } else if (kept > 0.75 && length > 0.9 * radius) {
      radius = std::min(1.5 * radius, kLargestRadius);
    }
    if (value > best.value) {
      best.value = value;
      best.parameters = there;
      gradient = slope;
    }
  }
  return best;
}

}  // namespace splitgp
