#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/experts/evidence.h"

namespace splitgp {

/// What others than f would answer to a query; not a number where one has no opinion.
struct Opinions {
  static constexpr std::size_t kExperts = 3;
  static constexpr std::size_t kMean = 0, kLast = 1, kLinear = 2;

  double last_error = 0.0;  // of f, on the last row that is known
  std::array<double, kExperts> answers;

  Opinions() { answers.fill(std::numeric_limits<double>::quiet_NaN()); }
};

/// An answer of f's that the experts have changed, and what it is worth.
struct Mixed {
  double mean;
  double variance_share = 1.0;  // multiplies f's variance
  // Derivatives of the mean, by f's answer, by the logarithm of its variance and by the linear
  // expert's answer; and of the log of variance_share by the logarithm of f's variance.
  double by_mean = 1.0;
  double by_log_variance = 0.0;
  double by_linear = 0.0;
  double share_by_log_variance = 0.0;
};

/// How one output's answers that reach a certain number of rows are mixed.
///
/// f's answer is first corrected by a share of its last error, or of two deviations if that is
/// less. Then it takes a step towards each expert, one after another: the whole step of expert k
/// would be the precision-weighted one, v/(v + s_k²) of the way, where v is f's variance and s_k²
/// the expert's mean squared error of late; which share of it is taken is for Evidence to say. So a
/// sure f hardly listens, an unsure one does where that has been right, and where f is the best
/// hardly anything changes.
class Mixture {
 public:
  /// `variance` is f's, noise included, in any unit that does not change.
  Mixed mix(double mean, double variance, const Opinions& opinions) const;
  /// What came of it.
  void learn(double mean, double variance, const Opinions& opinions, double observed);

  /// How far f's answer is thought to be off, where it expected this variance.
  double deviation(double variance) const { return std::sqrt(std::min(scale_ * variance, 1e300)); }

  /// How much of the last error, and of each expert's step, is taken now.
  double error_share() const { return error_share_; }
  double share(std::size_t expert) const { return shares_[expert]; }

  static constexpr std::size_t kNumbers =
      2 + (1 + Opinions::kExperts) * Evidence::kNumbers + Opinions::kExperts;
  void put(double*& out) const;
  void take(const double*& in);

 private:
  void settle();

  double rows_ = 0.0;
  double scale_ = 1.0;  // of f's squared errors, over what it expected
  Evidence error_;
  std::array<Evidence, Opinions::kExperts> evidence_;
  std::array<double, Opinions::kExperts> squares_{};  // s_k²

  // What follows from it, kept because every prediction asks.
  double error_share_ = 0.0;
  std::array<double, Opinions::kExperts> shares_{};
};

}  // namespace splitgp
