#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "splitgp/results.h"

namespace splitgp {

/// The changes that are looked for: DriftKind, counted from 0.
inline constexpr std::size_t kChangeKinds = 3;

/// How much likelier a normal score is after such a change than before, in nats. The detectors are
/// made for changes by one standard deviation and to twice the deviation; they find larger ones
/// sooner, and smaller ones from half of that on.
inline double log_ratio(std::size_t kind, double score) {
  switch (static_cast<DriftKind>(kind)) {
    case DriftKind::up:
      return score - 0.5;
    case DriftKind::down:
      return -score - 0.5;
    default:  // wider
      return 0.375 * score * score - std::numbers::ln2;
  }
}

/// One detector. It adds up log likelihood ratios of a changed stream to an unchanged one, and
/// begins anew at 0 whenever the sum is negative. On an unchanged stream it needs e^h rows on
/// average, or more, to reach h (Lorden 1971).
struct Cusum {
  double evidence = 0.0;    // in nats; 0: nothing speaks for a change
  double error = 0.0;       // of the rows since it was last 0, or squared if wider
  std::uint64_t rows = 0;   // how many
  std::uint64_t since = 0;  // the first one's sequence number

  void add(double ratio, double row_error, std::uint64_t sequence) {
    if (evidence == 0.0) *this = {0.0, 0.0, 0, sequence};
    evidence += ratio;
    if (evidence <= 0.0) {
      *this = {};
      return;
    }
    // Squares of errors near 1e150 may leave the range of doubles, and a file refuses such a sum.
    constexpr double kLargest = 1e300;
    const double total = error + row_error;
    if (!std::isnan(total)) error = std::clamp(total, -kLargest, kLargest);
    ++rows;
  }
};

}  // namespace splitgp
