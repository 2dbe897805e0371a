#pragma once

#include <array>
#include <limits>

#include "core/train/optimise.h"
#include "core/train/training_plan.h"
#include "core/train/training_set.h"
#include "splitgp/results.h"

namespace splitgp {

/// The kernel families that Train chooses from.
inline constexpr std::array kFamilies{KernelFamily::rbf, KernelFamily::matern12,
                                      KernelFamily::matern32, KernelFamily::matern52};

/// The family that Train stays with, if it does not choose.
KernelFamily named_family(const TrainingPlan& plan);

/// How much is looked at, and for how long: at first few observations; then more, for what is still
/// in the race.
inline constexpr StopWhen kFirstLook{25, 2e-3};
TrainingSet few(const TrainingSet& set);
TrainingSet more(const TrainingSet& set);

/// The best θ of one family so far, on the observations it was last optimised on.
struct Contender {
  KernelFamily family;
  Hyperparameters theta;
  double value = -std::numeric_limits<double>::infinity();
  double start_value = value;  // where the last optimisation started
};

/// Improves a contender on `set`, from `start` or, if that is null, from where it is. Its value is
/// that of the data alone.
void optimise(const TrainingSet& set, const TrainingPlan& plan, const Eigen::VectorXd* start,
              const StopWhen& stop, Contender& contender, TrainResult& result);

/// The objective of θ on `set`.
double value_of(const TrainingSet& set, const TrainingPlan& plan, const Hyperparameters& theta);

}  // namespace splitgp
