#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace splitgp {

/// The range of one output so far, and how far beyond it answers may go: half of the range, or
/// farther if f's latest errors are so small that it may be believed there.
class SeenRange {
 public:
  void add(double value, double error_of_f) {
    rows_ = kMemory * rows_ + 1.0;
    const double before = value - mean_;
    mean_ += before / rows_;
    squares_ = kMemory * squares_ + std::min(before * before, kLargest);
    errors_ = kMemory * errors_ + std::min(error_of_f * error_of_f, kLargest);
    lower_ = std::min(lower_, value);
    upper_ = std::max(upper_, value);
  }

  double clamp(double answer) const {
    if (!(lower_ < upper_)) return answer;
    const double most = margin();
    return std::clamp(answer, lower_ - most, upper_ + most);
  }

  /// This value was taken back: if it is an end of the range, the end moves a little outwards, so
  /// that it is no value of the stream.
  void forget(double value) {
    const double little = (upper_ - lower_) / 1024.0;
    if (value == upper_) upper_ += little;
    if (value == lower_) lower_ -= little;
  }

  static constexpr std::size_t kNumbers = 6;
  void put(double*& out) const {
    // An empty range has no numbers that a file could hold.
    const bool empty = lower_ > upper_;
    for (const double one :
         {rows_, mean_, squares_, errors_, empty ? 1.0 : lower_, empty ? 0.0 : upper_})
      *out++ = one;
  }
  void take(const double*& in) {
    for (double* one : {&rows_, &mean_, &squares_, &errors_, &lower_, &upper_}) *one = *in++;
    if (lower_ > upper_) *this = SeenRange();
  }

 private:
  double margin() const {
    const double width = upper_ - lower_;
    const double error = std::sqrt(errors_);
    const double believed = error > 0.0 ? kBelief * std::sqrt(squares_) / error : 0.0;
    return std::min(width * std::max(0.5, rows_ > kFewest ? believed : 0.0), 1e300);
  }

  static constexpr double kMemory = 0.98;  // about the last 50 rows
  static constexpr double kFewest = 5.0;
  // With errors of a tenth of the spread, answers may go farther than half of the range.
  static constexpr double kBelief = 0.05;
  static constexpr double kLargest = 1e300;

  double rows_ = 0.0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // of the values, around their mean
  double errors_ = 0.0;   // squares of f's errors
  double lower_ = std::numeric_limits<double>::infinity();
  double upper_ = -std::numeric_limits<double>::infinity();
};

}  // namespace splitgp
