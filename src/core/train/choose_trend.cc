#include "core/train/choose_trend.h"

#include <cmath>
#include <optional>
#include <utility>

#include "core/train/forward_check.h"
#include "core/train/objective.h"
#include "core/train/trend.h"

namespace splitgp {

using Eigen::VectorXd;

namespace {

// A trend must leave the kernel at most this share of the variance that it has without: on
// pjme_hourly and powergen it leaves less than 0.07; on gas_turbine, where a trend that has won the
// check for some hundred rows does harm on the next, 0.10 and more.
constexpr double kMostlyTrend = 1.0 / 12.0;
// And this share after a first look at few observations, which see less of the trend.
constexpr double kHopelessTrend = 3.0 * kMostlyTrend;
// A trend, or its removal, shows what it is worth after this many steps.
constexpr StopWhen kChallenge{10, 5e-4};

// Noise below this share of the outputs' variance is none.
constexpr double kInterpolating = 1e-5;

// Of the outputs' geometric mean.
double kernel_variance(const Hyperparameters& theta) {
  return theta.signal_variance * std::exp(2.0 * theta.output_scale.array().log().mean());
}

// θ with a trend, for the first time. What is left of the function may call for another family: on
// powergen, rbf instead of matern12. No θ if a first look shows that too much is left.
std::optional<Contender> challenger(const TrainingSet& set, const TrainingPlan& plan,
                                    const Contender& found, TrainResult& result) {
  const TrainingSet looked_at = few(set);
  const Hyperparameters with = with_trend(looked_at, found.theta);
  Contender best{found.family, with};
  optimise(looked_at, plan, nullptr, kFirstLook, best, result);
  if (kernel_variance(best.theta) > kHopelessTrend * kernel_variance(found.theta)) return {};
  if (!plan.search || plan.kernel != KernelFamily::automatic) return best;
  StopWhen stop = kFirstLook;
  for (const KernelFamily family : kFamilies) {
    if (family == found.family) continue;
    Contender tried{family, with};
    tried.theta.kernel = family;
    const VectorXd start =
        Objective(looked_at, family, with, plan.fixed).start(medium_length_scale(set), 0.01);
    stop.beat = best.value;
    optimise(looked_at, plan, &start, stop, tried, result);
    if (tried.value > best.value) best = std::move(tried);
  }
  return best;
}

}  // namespace

Contender choose_trend(const TrainingSet& set, const TrainingPlan& plan, const Contender& found,
                       TrainResult& result) {
  if (plan.trend == Trend::linear) {
    Contender with = found;
    with.theta = with_trend(set, found.theta);
    return with;
  }
  const TrainingSet looked_at = more(set);
  Contender without = found, with = found;
  if (has_trend(found.theta)) {
    without.theta = without_trend(found.theta);
    optimise(looked_at, plan, nullptr, kChallenge, without, result);
  } else {
    const std::optional<Contender> challenge = challenger(set, plan, found, result);
    if (!challenge) return found;
    with = *challenge;
    with.theta = with_trend(looked_at, with.theta);
    optimise(looked_at, plan, nullptr, kChallenge, with, result);
  }
  const ForwardCheck check = check_trend(set, without.theta, with.theta);
  result.record.forward_without_trend = check.without;
  result.record.forward_with_trend = check.with;
  result.record.trend_won = check.trend_wins;
  // Every change of mind costs more than a slightly worse prior.
  const bool stays = has_trend(found.theta) && !check.trend_loses;
  const bool comes = check.trend_wins &&
                     kernel_variance(with.theta) < kMostlyTrend * kernel_variance(without.theta);
  if (!comes && !stays) return without;
  with.theta = with_trend(set, with.theta);
  return with;
}

// Rows recorded so densely that θ has no noise teach it to fill the gaps between them; whether it
// can do more than that shows when whole stretches are predicted.
void consider_fallback(const TrainingSet& set, const TrainingPlan& plan, Contender& winner) {
  const Objective objective(set, winner.family, winner.theta, plan.fixed);
  if (objective.noise_share(winner.theta) > kInterpolating || has_trend(winner.theta)) return;
  if (check_fallback(set, winner.theta)) winner.theta = with_fallback(set, winner.theta);
}

}  // namespace splitgp
