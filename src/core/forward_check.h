#pragma once

#include <cstdint>

#include "core/training_set.h"
#include "splitgp/hyperparameters.h"

namespace splitgp {
struct ForwardScore {
  double squared_error = 0.0;
  double nlpd = 0.0;
  double step_squared_error = 0.0;
  double step_nlpd = 0.0;
};
std::uint64_t two_thirds(const TrainingSet& set);
ForwardScore predict_forward(const TrainingSet& set, const Hyperparameters& theta, std::uint64_t cut);
}  // namespace splitgp
