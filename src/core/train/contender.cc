#include "core/train/contender.h"

#include "core/train/objective.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr Index kFewObservations = 256;
constexpr Index kMoreObservations = 800;
// Four places tell more about a stream than two, at less than half the cost.
constexpr Index kMoreBlock = 200;

}  // namespace

TrainingSet few(const TrainingSet& set) { return thin(set, kFewObservations); }
TrainingSet more(const TrainingSet& set) {
  return neighbourhoods(set, kMoreObservations, kMoreBlock);
}

KernelFamily named_family(const TrainingPlan& plan) {
  return plan.kernel == KernelFamily::automatic ? plan.current.kernel : plan.kernel;
}

void optimise(const TrainingSet& set, const TrainingPlan& plan, const VectorXd* start,
              const StopWhen& stop, Contender& contender, TrainResult& result) {
  Objective objective(set, contender.family, contender.theta, plan.fixed);
  objective.use_threads(plan.threads);
  if (plan.memory > 0.0 && contender.family == plan.current.kernel) {
    objective.remember(plan.current, plan.memory);
  }
  const VectorXd from = start != nullptr ? *start : objective.parameters(contender.theta);
  const Optimum optimum =
      maximise([&](const VectorXd& parameters,
                   VectorXd* gradient) { return objective.value(parameters, gradient); },
               objective.curvature(from), from, objective.lower(), objective.upper(), stop);
  result.record.evaluations += optimum.evaluations;
  contender.theta = objective.theta(optimum.parameters);
  contender.start_value = optimum.start_value + objective.pull(from);
  // Compared by the data alone.
  contender.value = optimum.value + objective.pull(optimum.parameters);
}

double value_of(const TrainingSet& set, const TrainingPlan& plan, const Hyperparameters& theta) {
  Objective objective(set, theta.kernel, theta, plan.fixed);
  objective.use_threads(plan.threads);
  return objective.value(objective.parameters(theta), nullptr);
}

}  // namespace splitgp
