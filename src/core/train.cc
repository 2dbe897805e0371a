#include "core/train.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/objective.h"
#include "core/optimise.h"

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

// Noise that is this share of the outputs' variance calls for another start on more observations.
constexpr double kSuspiciousNoise = 0.2;
constexpr StopWhen kSecondOpinion{40, 1e-4};

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
  Objective objective(set, contender.family, plan.current, plan.fixed);
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
  if (plan.kernel == KernelFamily::automatic) {
    families = {KernelFamily::rbf, KernelFamily::matern12, KernelFamily::matern32,
                KernelFamily::matern52};
  }
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

}  // namespace

TrainResult train(const TrainingSet& set, const TrainingPlan& plan) {
  const auto began = std::chrono::steady_clock::now();
  TrainResult result;
  result.sequence = set.sequence;
  result.observations = set.observations;
  result.local_gps = std::ssize(set.blocks);
  result.theta = plan.current;
  result.searched = plan.search;
  result.surprised = plan.surprised;
  result.regime = set.regime;
  if (set.observations < 2) return result;
  result.objective_before = value_of(set, plan, plan.current);

  if (is_over(set, plan)) {
    result.theta = *plan.before;
    result.objective_after = value_of(set, plan, *plan.before);
    result.adopted = true;
    result.searched = false;
    result.returned = true;
    return result;
  }

  Contender winner =
      plan.search ? search(set, plan, result) : Contender{named_family(plan), plan.current};
  optimise(set, plan, nullptr, kFinish, winner, result);

  result.objective_after = winner.value;
  result.adopted = winner.value > result.objective_before + plan.worthwhile ||
                   !std::isfinite(result.objective_before);
  if (result.adopted) result.theta = winner.theta;
  result.bounds_reached = bounds_reached(set, plan, result.theta);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace splitgp
