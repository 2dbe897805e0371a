#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/model_state.h"
#include "core/predict/predictor.h"

namespace splitgp {

/// Algorithm 2, Update, for a model whose local GPs other processes hold: *route* says what a row
/// asks of them, they do it (core/model/remote.h), and *account* learns from what they found. Many
/// rows may be routed before the first of them is accounted for, as long as nothing that routing
/// needs can change in between: `may_route`.
///
/// The model's own local GPs are outlines (LocalGp::outline): the observations that each owns, from
/// which centers and splits follow, without factors and without what is borrowed.

/// What one row asks of local GPs, in this order.
struct Routed {
  UpdateResult result;  // sequence, routed_to, local_gp, new_local_gp, leaving, renewed

  /// The aggregated prediction before the row, if anyone wants it: whom to ask, with which θ, and
  /// what is known of them without asking. Empty if nobody does.
  std::vector<Eigen::Index> asked;
  std::vector<ThetaPointer> thetas;
  std::vector<Candidate> candidates;
  Outsider outsider;
  bool scored = false;         // calibration is one of those who want it
  Eigen::Index local_gps = 0;  // how many there were

  ThetaPointer owner_theta;  // by which it looks ahead
  std::vector<bool> leaves;  // LocalGp::divide(), if there is a split
  std::vector<Eigen::Index> offered;
};

/// What the asked local GPs and the owner found.
struct Found {
  Eigen::MatrixXd means;  // outputs × asked
  Eigen::MatrixXd local_scales;
  std::vector<LocalGp::Posterior> posteriors;

  Eigen::RowVectorXd innovation;  // the owner's
  double deviation = 0.0;
  Eigen::VectorXd owner_scales;        // its local scales before it learned the row, …
  Eigen::VectorXd owner_scales_after;  // … and after
  LookedBack back{0};                  // only with calibration
};

/// Whether a row may be routed when `ahead` others are routed but not accounted for: no training
/// can be due in between.
bool may_route(const ModelState& model, std::uint64_t ahead);

/// Routes a row. `ahead`: as above.  REQUIRES: may_route.
void route(ModelState& model, const Observation& observation, std::uint64_t ahead, bool predict,
           Routed& routed);

/// Learns what the row teaches about the stream; train_if_due() comes next. Completes
/// routed.result; `before`, if asked for, gets the prediction that the row was met with.
void account(ModelState& model, const Observation& observation, Routed& routed, const Found& found,
             Prediction* before);

}  // namespace splitgp
