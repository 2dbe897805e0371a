#pragma once

namespace splitgp {

/// What one output of an observation tells the detectors of drift.
struct Score {
  double value = 0.0;  ///< Its innovation as a normal score: N(0, 1) if all is right.
  double error = 0.0;  ///< In the output's units, cut off where the score is.
};

/// The innovation z of an error with Student's t distribution and variance 1 as a normal score, cut
/// off at ±3: a single absurd reading must not count for much. By Wallace's approximation
/// √(ν log(1 + t²/ν))·(8ν + 1)/(8ν + 3), good to 0.05 down to ν = 2.5.
double normal_score(double z, double degrees_of_freedom);

}  // namespace splitgp
