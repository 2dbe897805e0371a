#include "core/train/raise_noise.h"

#include <algorithm>
#include <cmath>

#include "core/train/objective.h"

namespace splitgp {
namespace {

// Noise below this share of the outputs' variance must be shown by the data: it is raised, up to
// the second share, as long as that costs no more than so many nats of the log likelihood of all
// observations.
constexpr double kDoubtfulNoise = 1e-4;
constexpr double kMostDoubtfulNoise = 1e-3;
constexpr double kNoiseDoubt = 3.0;

// A try costs a third of an evaluation with its gradient, so they are few. They aim at a share of
// what is allowed, and the first that is allowed and uses at least half of it is the last.
constexpr int kMostTries = 5;
constexpr double kAim = 0.8;
constexpr double kEnough = 0.5;

}  // namespace

// A noise near the largest that costs no more than kNoiseDoubt in log likelihood, the rest of θ as
// it is.
// Where inputs do not repeat, a rough kernel explains noise as well as noise does, and the
// likelihood is all but flat down to its floor: its maximum there may claim a certainty that the
// first repeated input with another output shows to be absurd.
void raise_noise(const TrainingSet& set, const TrainingPlan& plan, Contender& winner) {
  if (plan.fixed.noise_variance || !std::isfinite(winner.value)) return;
  Objective objective(set, winner.family, winner.theta, plan.fixed);
  const double share = objective.noise_share(winner.theta);
  if (share > kDoubtfulNoise) return;
  const double n = static_cast<double>(set.observations * winner.theta.mean.size());
  const double allowed = kNoiseDoubt / n;
  const double most = std::log(kMostDoubtfulNoise / share);
  double raised = 0.0;  // log of the factor
  double value = winner.value;
  // What it costs grows like a power of that log, at an optimum its square. The whole way is tried
  // first; then where the last try says that the limit is.
  double power = 2.0, there = most, last = 0.0, last_cost = 0.0;
  for (int i = 0; i < kMostTries; ++i) {
    Hyperparameters theta = winner.theta;
    theta.noise_variance *= std::exp(there);
    const double value_there = objective.value(objective.parameters(theta), nullptr);
    const double cost = winner.value - value_there;
    if (cost <= allowed && there > raised) {
      raised = there;
      value = value_there;
    }
    if (raised == most || (cost <= allowed && cost > kEnough * allowed) || !(cost > 0.0)) break;
    if (last_cost > 0.0 && cost != last_cost && there != last)
      power = std::clamp(std::log(cost / last_cost) / std::log(there / last), 1.0, 4.0);
    last = there;
    last_cost = cost;
    there = std::min(most, there * std::pow(kAim * allowed / cost, 1.0 / power));
  }
  winner.theta.noise_variance *= std::exp(raised);
  winner.value = value;
}

}  // namespace splitgp
