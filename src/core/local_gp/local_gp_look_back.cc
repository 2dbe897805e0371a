// What a local GP would expect without some of its points.
#include <cassert>
#include <cmath>

#include "core/local_gp/local_gp.h"

namespace splitgp {

using Eigen::Index;

namespace {

// As LocalGp::local_scale, of the first n points.
double scale_of(double squares, Index n) {
  constexpr double kBelief = 20.0;
  return std::min(1e100, (kBelief + squares) / (kBelief + static_cast<double>(n)));
}

}  // namespace

// L is lower triangular and points stand in the order in which they came, so the first n rows of
// L⁻¹k and of L⁻¹(y − mean) are what they were when only the first n points were known: the
// predictions of all ages are the partial sums of one.
void LocalGp::look_back(const Observation& observation, const Workspace& workspace,
                        LookedBack& result) const {
  const Hyperparameters& theta = theta_->values;
  const Index n = size();
  const auto w = workspace.columns.col(0);
  const double noise = theta.noise_variance + observation.noise_variance + lift_noise(n);
  const double prior = theta.signal_variance + noise;
  for (Index o = 0; o < outputs_.cols(); ++o) {
    const double scale = theta.output_scale(o);
    const double residual = observation.y(o) - theta_->prior_mean(o, observation.x);
    const auto z = solved_.col(o);
    double mean = 0.0;
    double explained = 0.0;
    double squares = 0.0;
    Index column = LookedBack::kAges - 1;
    const auto note = [&](Index points) {
      const double variance = std::max(prior - explained, noise);
      result.error(o, column) = residual - scale * mean;
      result.variance(o, column) = variance * scale_of(squares, points) * scale * scale;
      result.share(column) = variance / prior;
      --column;
    };
    for (Index j = 0; j < n; ++j) {
      // From here on it knows points that are too young.
      while (column >= 0 && sequence(j) + LookedBack::age(column) > observation.sequence) note(j);
      if (column < 0) break;
      mean += w(j) * z(j);
      explained += w(j) * w(j);
      squares += z(j) * z(j);
    }
    while (column >= 0) note(n);
  }
}

// With v = L⁻¹e_j, the error is [K⁻¹(y − mean)]_j / [K⁻¹]_jj = v·z / |v|² and its variance 1 / |v|²
// (Rasmussen and Williams, equations 5.12).
void LocalGp::leave_out(Index j, Workspace& workspace, LookedBack& result) const {
  assert(!dormant());
  auto v = workspace.reserve(size(), 1).col(0);
  v.setZero();
  v(j) = 1.0;
  factor_.solve_lower(v);
  const Hyperparameters& theta = theta_->values;
  const double variance = 1.0 / v.squaredNorm();
  const double noise = theta.noise_variance + noise_variance_(j) + lift_noise(j);
  for (Index o = 0; o < outputs_.cols(); ++o) {
    const double scale = theta.output_scale(o);
    result.error(o, LookedBack::kLeftOut) = scale * variance * v.dot(solved_.col(o).head(size()));
    result.variance(o, LookedBack::kLeftOut) = variance * local_scale(o) * scale * scale;
  }
  result.share(LookedBack::kLeftOut) = std::min(1.0, variance / (theta.signal_variance + noise));
}

}  // namespace splitgp
