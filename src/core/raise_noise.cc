#include "core/raise_noise.h"

#include <cmath>
#include <limits>

#include "core/objective.h"

namespace splitgp {
namespace {

// Noise below this share of the outputs' variance must be shown by the data: it is raised, up to
// the second share, as long as that costs no more than so many nats of the log likelihood of all
// observations.
constexpr double kDoubtfulNoise = 1e-4;
constexpr double kMostDoubtfulNoise = 1e-3;
constexpr double kNoiseDoubt = 3.0;

}  // namespace

// The largest noise that costs no more than kNoiseDoubt in log likelihood, the rest of θ as it is.
// Where inputs do not repeat, a rough kernel explains noise as well as noise does, and the
// likelihood is all but flat down to its floor: its maximum there may claim a certainty that the
// first repeated input with another output shows to be absurd.
void raise_noise(const TrainingSet& set, const TrainingPlan& plan, Contender& winner) {
  if (plan.fixed.noise_variance || !std::isfinite(winner.value)) return;
  Objective objective(set, winner.family, winner.theta, plan.fixed);
  if (objective.noise_share(winner.theta) > kDoubtfulNoise) return;
  const double n = static_cast<double>(set.observations * winner.theta.mean.size());
  const double least = winner.value - kNoiseDoubt / n;
  double tried_step = std::log(10.0);
  double raised = 0.0;  // log of the factor
  const auto value_at = [&](double log_factor) {
    Hyperparameters theta = winner.theta;
    theta.noise_variance *= std::exp(log_factor);
    return objective.value(objective.parameters(theta), nullptr);
  };
  const auto share_at = [&](double log_factor) {
    return objective.noise_share(winner.theta) * std::exp(log_factor);
  };
  double value = winner.value;
  for (int i = 0; i < 8; ++i) {
    const double step = raised + tried_step;
    const double there = share_at(step) <= kMostDoubtfulNoise
                             ? value_at(step)
                             : -std::numeric_limits<double>::infinity();
    if (there >= least) {
      raised = step;
      value = there;
    } else {
      tried_step /= 3.0;
    }
  }
  winner.theta.noise_variance *= std::exp(raised);
  winner.value = value;
}

}  // namespace splitgp
