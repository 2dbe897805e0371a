#pragma once

namespace splitgp {

/// Student's t distribution with scale 1, for any degrees of freedom above 0; infinite ones give
/// the normal distribution. Unlike std::lgamma, safe to call from many threads.

/// P(|T| < t), for t ≥ 0.
double student_t_level(double t, double degrees_of_freedom);

/// The inverse: the t with P(|T| < t) = level, half of the central interval that holds `level`.
/// REQUIRES: 0 < level < 1.
double student_t_half_width(double level, double degrees_of_freedom);

/// The log density at t, given t². Never −∞ unless t² is infinite.
double student_t_log_density(double t_squared, double degrees_of_freedom);

/// What remains of it at t = 0: log density = this − (ν+1)/2 log(1 + t²/ν).
double student_t_log_peak(double degrees_of_freedom);

}  // namespace splitgp
