#include "core/contender.h"

#include "core/objective.h"

namespace splitgp {

using Eigen::VectorXd;

KernelFamily named_family(const TrainingPlan& plan) {
  return plan.kernel == KernelFamily::automatic ? plan.current.kernel : plan.kernel;
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

double value_of(const TrainingSet& set, const TrainingPlan& plan, const Hyperparameters& theta) {
  Objective objective(set, theta.kernel, theta, plan.fixed);
  return objective.value(objective.parameters(theta), nullptr);
}

}  // namespace splitgp
