#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace splitgp {

/// How much of a step to take, by what earlier rows have shown.
///
/// Each row shows what an answer had left unexplained, and the step that was at hand. The share is
/// the regression of the one on the other, over about the last 300 rows, times 1 − (c/t)², where t
/// is its t statistic, robust against rows of unequal spread; nothing is taken while |t| < c.
class Evidence {
 public:
  /// Both in standard deviations that the answer expected. A surprise counts as one of three
  /// deviations, with its step in proportion, so that no single row decides.
  void add(double left, double step) {
    const double size = std::max(std::abs(left) / kMostLeft, std::abs(step) / kMostStep);
    const double scale = size > 1.0 ? 1.0 / size : 1.0;
    left *= scale;
    step *= scale;
    const double gain = left * step;
    gain_ = kDiscount * gain_ + gain;
    squares_ = kDiscount * squares_ + step * step;
    noise_ = kDiscount * kDiscount * noise_ + gain * gain;
  }

  /// Between −1 and 1.
  double share() const {
    if (!(noise_ > 0.0 && squares_ > 0.0)) return 0.0;
    const double squared_t = gain_ / noise_ * gain_;
    if (!(squared_t > kProof * kProof)) return 0.0;
    return std::clamp(gain_ / squares_, -1.0, 1.0) * (1.0 - kProof * kProof / squared_t);
  }

  static constexpr std::size_t kNumbers = 3;
  void put(double*& out) const {
    for (const double one : {gain_, squares_, noise_}) *out++ = one;
  }
  void take(const double*& in) {
    for (double* one : {&gain_, &squares_, &noise_}) *one = *in++;
  }

 private:
  // Chosen on the even half of the published tables (docs/lab_notes.md).
  static constexpr double kDiscount = 0.997;
  static constexpr double kProof = 2.0;
  static constexpr double kDoubt = 4.0;  // as of four rows of one deviation: few rows prove little
  static constexpr double kMostLeft = 3.0;
  static constexpr double kMostStep = 1e60;  // only so that nothing overflows

  double gain_ = 0.0;
  double squares_ = 0.0;
  double noise_ = kDoubt;
};

}  // namespace splitgp
