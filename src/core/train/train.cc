#include "core/train/train.h"

#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "core/options/validate.h"
#include "core/train/choose_trend.h"
#include "core/train/contender.h"
#include "core/train/log_likelihood.h"
#include "core/train/objective.h"
#include "core/train/raise_noise.h"
#include "core/train/search.h"
#include "core/train/trend.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// The winner finishes on all observations.
constexpr StopWhen kFinish{50, 2e-4};

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

void improve(const TrainingSet& set, const TrainingPlan& given, TrainResult& result) {
  TrainingPlan plan = given;
  // The few rows of a surprise cannot tell a trend.
  const bool free_trend = plan.trend != Trend::none && !plan.fixed.mean && !plan.surprised;
  // What local GPs fall back to is no part of the likelihood.
  if (free_trend && falls_back(plan.current)) plan.current = without_trend(plan.current);
  const Contender current{named_family(plan), plan.current};
  Contender winner = current;
  bool moved = false;  // the winner is not the current θ
  if (plan.search) {
    result.objective_before = value_of(set, plan, given.current);
    const Clock::time_point began = Clock::now();
    winner = search(set, plan, result);
    result.record.search_seconds = seconds_since(began);
    // A search looks at a part. What it finds is taken only if it is better on the whole: on
    // gas_turbine three searches would otherwise have ended below where they began.
    moved = !plan.warm || !(winner.value < result.objective_before);
    if (!moved) winner = current;
  }
  if (free_trend && (plan.search || !has_trend(winner.theta))) {
    winner = choose_trend(set, plan, winner, result);
    moved = moved || has_trend(winner.theta) != has_trend(plan.current);
  }
  StopWhen finish = kFinish;
  // A gain that would not be adopted is not sought.
  if (!moved) finish.worthwhile = 0.5 * plan.worthwhile;
  optimise(set, plan, nullptr, finish, winner, result);
  if (!plan.search) {
    result.objective_before = moved ? value_of(set, plan, given.current) : winner.start_value;
  }
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
  // A trend's slopes are no parameters of the optimiser's.
  winner.theta = within_range(std::move(winner.theta));
  result.adopted = result.adopted && is_within_range(winner.theta);  // not if something is NaN
  if (result.adopted) result.theta = winner.theta;
  result.bounds_reached = bounds_reached(set, plan, result.theta);
}

// Of all observations given those that were shown, for each of the others and each output.
double forward_log_density(const TrainingSet& all, const TrainingSet& shown,
                           const Hyperparameters& theta) {
  LogLikelihood likelihood;
  double sum = 0.0;
  for (const TrainingSet::Block& block : all.blocks) sum += likelihood.of(block, theta);
  for (const TrainingSet::Block& block : shown.blocks) sum -= likelihood.of(block, theta);
  return sum / static_cast<double>((all.observations - shown.observations) * theta.mean.size());
}

// After a surprise. The latest third of the rows is held out at first: what is learned from the
// others has to foretell it, better by far than the present θ does.
void prove_and_improve(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result) {
  const TrainingSet shown = before(set, set.regime + (set.sequence - set.regime) * 2 / 3);
  if (shown.observations < 2 || shown.observations == set.observations) return;
  improve(shown, plan, result);
  if (!result.adopted) return;
  const double gain =
      forward_log_density(set, shown, result.theta) - forward_log_density(set, shown, plan.current);
  if (gain > plan.worthwhile) return improve(set, plan, result);
  result.adopted = false;
  result.theta = plan.current;
}

}  // namespace

TrainResult train(const TrainingSet& set, const TrainingPlan& plan) {
  const Clock::time_point began = Clock::now();
  TrainResult result;
  result.sequence = set.sequence;
  result.observations = set.observations;
  result.record.local_gps = std::ssize(set.blocks);
  result.theta = plan.current;
  result.record.searched = plan.search;
  result.surprised = plan.surprised;
  result.record.regime = set.regime;
  if (set.observations < 2) return result;
  TrainResult failed = result;  // before the memory is gone
  failed.failed = true;
  try {
    plan.surprised ? prove_and_improve(set, plan, result) : improve(set, plan, result);
  } catch (const std::exception&) {  // std::bad_alloc, or a thread that could not be started
    result = std::move(failed);
  }
  result.seconds = seconds_since(began);
  return result;
}

}  // namespace splitgp
