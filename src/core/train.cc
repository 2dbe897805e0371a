#include "core/train.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "core/choose_trend.h"
#include "core/contender.h"
#include "core/objective.h"
#include "core/raise_noise.h"
#include "core/search.h"
#include "core/trend.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// The winner finishes on all observations.
constexpr StopWhen kFinish{50, 1e-5};

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

// A burst that looked like a new regime: what has come since is better described by the old θ.
bool is_over(const TrainingSet& set, const TrainingPlan& plan) {
  if (!plan.before) return false;
  const TrainingSet since = latest(set);
  return since.observations > 0 &&
         value_of(since, plan, *plan.before) > value_of(since, plan, plan.current);
}

}  // namespace

TrainResult train(const TrainingSet& set, const TrainingPlan& given) {
  const auto began = std::chrono::steady_clock::now();
  const auto seconds_since = [](std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
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
  const auto search_began = std::chrono::steady_clock::now();
  Contender winner =
      plan.search ? search(set, plan, result) : Contender{named_family(plan), plan.current};
  if (plan.search) result.search_seconds = seconds_since(search_began);
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
  result.seconds = seconds_since(began);
  return result;
}

}  // namespace splitgp
