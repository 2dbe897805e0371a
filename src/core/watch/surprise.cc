#include "core/watch/surprise.h"

#include <algorithm>
#include <cmath>

namespace splitgp {

using Eigen::Index;

namespace {

constexpr double kRecent = 1.0 / 24.0;
constexpr double kUsual = 1.0 / 512.0;
constexpr double kLoudest = 3.0;
// Nothing is quieter than this: a constant output must not surprise again and again.
constexpr double kLeast = 1e-3;

// Most rows are beyond three standard deviations. With a lower threshold, gas_turbine's new
// operating points would surprise, which the local GPs learn by themselves.
constexpr double kLoud = 6.5;
// Innovations with 2.7 times the standard deviation that θ promised, and it does not get better.
constexpr double kLoudForLong = 4.0;
constexpr std::uint64_t kLong = 128;
constexpr double kLouderThanUsual = 1.5;
// A hundredth of the variance.
constexpr double kQuiet = 0.01;
constexpr double kQuieterThanUsual = 0.1;

// A mean over 24 rows of a stream that θ describes stays within this factor, nearly always.
constexpr double kAsUsual = 2.0;
// Rows that are unusual for longer than this are no sudden change.
constexpr std::uint64_t kMostRows = 256;

}  // namespace

void Surprise::observe(const Innovation& innovation) {
  bool as_usual = true;
  for (Index o = 0; o < state_.recent.size(); ++o) {
    // Anything that is not a number is as surprising as can be.
    const double z = std::abs(innovation(o));
    const double square = z < kLoudest ? std::max(z * z, kLeast) : kLoudest * kLoudest;
    double& recent = state_.recent(o);
    double& usual = state_.usual(o);
    recent += kRecent * (square - recent);
    usual += kUsual * (square - usual);
    as_usual = as_usual && recent < kAsUsual * usual && recent > usual / kAsUsual;
  }
  state_.unusual = as_usual ? 0 : state_.unusual + 1;
}

bool Surprise::loud() const {
  const double threshold = state_.unusual < kLong ? kLoud : kLoudForLong;
  return ((state_.recent.array() > threshold) &&
          (state_.recent.array() > kLouderThanUsual * state_.usual.array()))
      .any();
}

bool Surprise::quiet() const {
  return ((state_.recent.array() < kQuiet) &&
          (state_.recent.array() < kQuieterThanUsual * state_.usual.array()))
      .all();
}

std::uint64_t Surprise::rows_before() const {
  // The loudest and the most silent rows there can be. The lower threshold for loud ones is taken
  // throughout, and what was usual is left aside: it can only make it take longer.
  double loudest = state_.recent.maxCoeff();
  double quietest = state_.recent.maxCoeff();  // all outputs have to be quiet
  for (std::uint64_t rows = 0;; ++rows) {
    if (loudest > kLoudForLong || quietest < kQuiet) return rows;
    loudest += kRecent * (kLoudest * kLoudest - loudest);
    quietest += kRecent * (kLeast - quietest);
  }
}

std::uint64_t Surprise::rows() const { return std::min(state_.unusual, kMostRows); }

void Surprise::forget() {
  state_.recent.setOnes();
  state_.usual.setOnes();
  state_.unusual = 0;
}

}  // namespace splitgp
