#pragma once

#include <optional>
#include <vector>

#include "core/model/model_state.h"
#include "core/predict/predictor.h"

namespace splitgp {

/// What local GPs do when another process has routed a row (core/model/route.h). `model` holds some
/// of a model's local GPs, under numbers of its own; of the rest it knows the options and θ.

/// What an owner found.
struct Learned {
  Eigen::VectorXd scales;        // ŝ² of each output, before the row, …
  Eigen::VectorXd scales_after;  // … and with it
  Eigen::RowVectorXd innovation;
  double deviation = 0.0;
  double jitter = 0.0;
  std::optional<std::uint64_t> displaced;
  LookedBack back{0};  // only with calibration
};

/// Looks ahead at an observation and appends it.
void learn(ModelState& model, Eigen::Index local_gp, const Observation& observation,
           Learned& learned);

/// Split, as the router has decided it: returns the second child.
LocalGp divide(ModelState& model, Eigen::Index local_gp, const std::vector<bool>& leaves);

/// LocalGp::borrow.
bool borrow(ModelState& model, Eigen::Index local_gp, const Observation& observation,
            std::optional<std::uint64_t>& displaced);

void refit(ModelState& model, Eigen::Index local_gp, const ThetaPointer& theta);

}  // namespace splitgp
