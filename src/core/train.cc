#include "core/train.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/forward_check.h"
#include "core/objective.h"
#include "core/optimise.h"
#include "core/trend.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// The first look: many starts on few observations, a handful of steps each.
constexpr Index kFirstLookObservations = 256;
constexpr StopWhen kFirstLook{25, 1e-4};
// Up to this many, every start is cheap.
constexpr Index kFewObservations = 150;
// A family this far behind, per observation, after the first look does not catch up.
constexpr double kHopeless = 0.1;
// The families' best are compared on more observations, and the winner finishes on all.
constexpr Index kCompareObservations = 800;
constexpr StopWhen kCompare{20, 1e-4};
constexpr StopWhen kFinish{50, 1e-5};

constexpr std::array kFamilies{KernelFamily::rbf, KernelFamily::matern12, KernelFamily::matern32,
                               KernelFamily::matern52};

// Noise that is this share of the outputs' variance calls for another start on more observations.
constexpr double kSuspiciousNoise = 0.2;
constexpr StopWhen kSecondOpinion{40, 1e-4};

// A trend must leave the kernel at most this share of the variance that it has without: on
// pjme_hourly and powergen it leaves less than 0.07; on gas_turbine, where a trend that has won the
// check for some hundred rows does harm on the next, 0.10 and more.
constexpr double kMostlyTrend = 1.0 / 12.0;
// A trend, or its removal, shows what it is worth after this many steps.
constexpr StopWhen kChallenge{10, 1e-4};

// Noise below this share of the outputs' variance must be shown by the data: it is raised, up to
// the second share, as long as that costs no more than so many nats of the log likelihood of all
// observations.
constexpr double kDoubtfulNoise = 1e-4;
constexpr double kMostDoubtfulNoise = 1e-3;
constexpr double kNoiseDoubt = 3.0;
// Noise below this share of the outputs' variance is none.
constexpr double kInterpolating = 1e-5;

// The best θ of one family so far, on the observations it was last optimised on.
struct Contender {
  KernelFamily family;
  Hyperparameters theta;
  double value = -std::numeric_limits<double>::infinity();
};

Index rows_of(const TrainingSet& set) {
  Index rows = 0;
  for (const TrainingSet::Block& block : set.blocks) rows += block.inputs.rows();
  return rows;
}

void optimise(const TrainingSet& set, const TrainingPlan& plan, const VectorXd* start,
              const StopWhen& stop, Contender& contender, TrainResult& result) {
  Objective objective(set, contender.family, contender.theta, plan.fixed);
  if (plan.memory > 0.0 && contender.family == plan.current.kernel) {
    objective.remember(plan.current, plan.memory);
  }
  const VectorXd from = start != nullptr ? *start : objective.parameters(contender.theta);
  const Optimum optimum =
      maximise([&](const VectorXd& parameters,
                   VectorXd* gradient) { return objective.value(parameters, gradient); },
               from, objective.lower(), objective.upper(), stop);
  result.evaluations += optimum.evaluations;
  contender.theta = objective.theta(optimum.parameters);
  objective.remember(plan.current, 0.0);  // compared by the data alone
  contender.value = objective.value(optimum.parameters, nullptr);
}

// Long, medium and short length scales, little and much noise: from a single start, many irrelevant
// inputs or a rough function can end at "all noise". With a trained θ at hand, two of them are
// enough.
Contender first_look(const TrainingSet& set, KernelFamily family, const TrainingPlan& plan,
                     TrainResult& result) {
  const Objective objective(set, family, plan.current, plan.fixed);
  const double medium = medium_length_scale(set);
  std::vector<VectorXd> starts;
  if (plan.warm) starts.push_back(objective.parameters(plan.current));
  if (plan.warm && rows_of(set) > kFewObservations) {
    for (const double length_scale : {medium, 0.3 * medium}) {
      starts.push_back(objective.start(length_scale, 0.01));
    }
  } else {
    for (const double length_scale : {3.0 * medium, medium, 0.3 * medium}) {
      for (const double noise : {0.01, 0.3}) starts.push_back(objective.start(length_scale, noise));
    }
  }
  Contender best{family, plan.current};
  for (const VectorXd& start : starts) {
    Contender tried{family, plan.current};
    optimise(set, plan, &start, kFirstLook, tried, result);
    ++result.starts;
    if (tried.value > best.value) best = std::move(tried);
  }
  return best;
}

std::vector<std::string> bounds_reached(const TrainingSet& set, const TrainingPlan& plan,
                                        const Hyperparameters& theta) {
  const Objective objective(set, theta.kernel, plan.current, plan.fixed);
  const VectorXd parameters = objective.parameters(theta);
  std::vector<std::string> reached;
  for (Index i = 0; i < objective.size(); ++i) {
    constexpr double kClose = 1e-6;
    if (parameters(i) < objective.lower()(i) + kClose)
      reached.push_back(objective.name(i) + " at its lower bound");
    if (parameters(i) > objective.upper()(i) - kClose)
      reached.push_back(objective.name(i) + " at its upper bound");
  }
  return reached;
}

KernelFamily named_family(const TrainingPlan& plan) {
  return plan.kernel == KernelFamily::automatic ? plan.current.kernel : plan.kernel;
}

bool is_ahead(const Contender& a, const Contender& b) { return a.value > b.value; }

// All families from many starts on few observations; those still in the race on more; then the
// best.
Contender search(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result) {
  const TrainingSet few = thin(set, kFirstLookObservations);
  const TrainingSet more = thin(set, kCompareObservations);
  std::vector<KernelFamily> families{named_family(plan)};
  if (plan.kernel == KernelFamily::automatic) families.assign(kFamilies.begin(), kFamilies.end());
  std::vector<Contender> contenders;
  for (const KernelFamily family : families)
    contenders.push_back(first_look(few, family, plan, result));
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);
  const double best = contenders.front().value;
  std::erase_if(contenders, [&](const Contender& c) { return c.value < best - kHopeless; });
  for (Contender& contender : contenders)
    optimise(more, plan, nullptr, kCompare, contender, result);
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);
  if (contenders.size() > 1) result.kernel_margin = contenders[0].value - contenders[1].value;

  // "Mostly noise" may only mean that few observations did not show the function. Get a second
  // opinion from all of these, starting with little noise.
  Contender winner = contenders.front();
  const Objective objective(more, winner.family, plan.current, plan.fixed);
  if (objective.noise_share(winner.theta) > kSuspiciousNoise) {
    const VectorXd start = objective.start(medium_length_scale(set), 0.01);
    Contender second = winner;
    optimise(more, plan, &start, kSecondOpinion, second, result);
    ++result.starts;
    if (second.value > winner.value) winner = second;
  }
  return winner;
}

double value_of(const TrainingSet& set, const TrainingPlan& plan, const Hyperparameters& theta) {
  Objective objective(set, theta.kernel, theta, plan.fixed);
  return objective.value(objective.parameters(theta), nullptr);
}

// A burst that looked like a new regime: what has come since is better described by the old θ.
bool is_over(const TrainingSet& set, const TrainingPlan& plan) {
  if (!plan.before) return false;
  const TrainingSet since = latest(set);
  return since.observations > 0 &&
         value_of(since, plan, *plan.before) > value_of(since, plan, plan.current);
}

// Of the outputs' geometric mean.
double kernel_variance(const Hyperparameters& theta) {
  return theta.signal_variance * std::exp(2.0 * theta.output_scale.array().log().mean());
}

// θ with a trend, for the first time. What is left of the function may call for another family: on
// powergen, rbf instead of matern12.
Contender challenger(const TrainingSet& set, const TrainingPlan& plan, const Contender& found,
                     TrainResult& result) {
  Contender best = found;
  if (!plan.search || plan.kernel != KernelFamily::automatic) return best;
  const TrainingSet few = thin(set, kFirstLookObservations);
  best.value = -std::numeric_limits<double>::infinity();
  const Hyperparameters with = with_trend(few, found.theta);
  for (const KernelFamily family : kFamilies) {
    Contender tried{family, with};
    tried.theta.kernel = family;
    const VectorXd start =
        Objective(few, family, with, plan.fixed).start(medium_length_scale(set), 0.01);
    optimise(few, plan, family == found.family ? nullptr : &start, kFirstLook, tried, result);
    if (tried.value > best.value) best = std::move(tried);
  }
  return best;
}

// θ with and without a trend, each as good as a few steps make it; which of them predicts better
// forward in time decides.
Contender choose_trend(const TrainingSet& set, const TrainingPlan& plan, const Contender& found,
                       TrainResult& result) {
  if (plan.trend == Trend::linear) {
    Contender with = found;
    with.theta = with_trend(set, found.theta);
    return with;
  }
  const TrainingSet more = thin(set, kCompareObservations);
  Contender without = found, with = found;
  if (has_trend(found.theta)) {
    without.theta = without_trend(found.theta);
    optimise(more, plan, nullptr, kChallenge, without, result);
  } else {
    with = challenger(set, plan, found, result);
    with.theta = with_trend(more, with.theta);
    optimise(more, plan, nullptr, kChallenge, with, result);
  }
  const ForwardCheck check = check_trend(set, without.theta, with.theta);
  result.forward_without_trend = check.without;
  result.forward_with_trend = check.with;
  result.trend_won = check.trend_wins;
  // Every change of mind costs more than a slightly worse prior.
  const bool stays = has_trend(found.theta) && !check.trend_loses;
  const bool comes = check.trend_wins &&
                     kernel_variance(with.theta) < kMostlyTrend * kernel_variance(without.theta);
  if (!comes && !stays) return without;
  with.theta = with_trend(set, with.theta);
  return with;
}

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

// Rows recorded so densely that θ has no noise teach it to fill the gaps between them; whether it
// can do more than that shows when whole stretches are predicted.
void consider_fallback(const TrainingSet& set, const TrainingPlan& plan, Contender& winner) {
  const Objective objective(set, winner.family, winner.theta, plan.fixed);
  if (objective.noise_share(winner.theta) > kInterpolating || has_trend(winner.theta)) return;
  if (check_fallback(set, winner.theta)) winner.theta = with_fallback(set, winner.theta);
}

}  // namespace

TrainResult train(const TrainingSet& set, const TrainingPlan& given) {
  const auto began = std::chrono::steady_clock::now();
  TrainResult result;
  result.sequence = set.sequence;
  result.observations = set.observations;
  result.local_gps = std::ssize(set.blocks);
  result.theta = given.current;
  result.searched = given.search;
  result.surprised = given.surprised;
  result.regime = set.regime;
  if (set.observations < 2) return result;
  result.objective_before = value_of(set, given, given.current);

  if (is_over(set, given)) {
    result.theta = *given.before;
    result.objective_after = value_of(set, given, *given.before);
    result.adopted = true;
    result.searched = false;
    result.returned = true;
    return result;
  }

  TrainingPlan plan = given;
  // The few rows of a new regime cannot tell a trend.
  const bool free_trend = plan.trend != Trend::none && !plan.fixed.mean && !plan.surprised;
  // What local GPs fall back to is no part of the likelihood.
  if (free_trend && falls_back(plan.current)) plan.current = without_trend(plan.current);
  Contender winner =
      plan.search ? search(set, plan, result) : Contender{named_family(plan), plan.current};
  if (free_trend) winner = choose_trend(set, plan, winner, result);
  optimise(set, plan, nullptr, kFinish, winner, result);
  if (free_trend && has_trend(winner.theta)) {
    winner.theta = with_trend(set, winner.theta);
    winner.value = value_of(set, plan, winner.theta);
  }
  if (plan.trend != Trend::none) raise_noise(set, plan, winner);
  if (free_trend && plan.trend == Trend::automatic) consider_fallback(set, plan, winner);

  result.objective_after = winner.value;
  result.adopted = winner.value > result.objective_before + plan.worthwhile ||
                   !std::isfinite(result.objective_before) ||
                   has_trend(winner.theta) != has_trend(given.current) ||
                   falls_back(winner.theta) != falls_back(given.current);
  if (result.adopted) result.theta = winner.theta;
  result.bounds_reached = bounds_reached(set, plan, result.theta);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace splitgp
