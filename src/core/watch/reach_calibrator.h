#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/local_gp/looked_back.h"
#include "core/watch/calibrator.h"

namespace splitgp {

/// The squared error of a column, in units of its variance.
double squared_innovation(const LookedBack& back, Eigen::Index output, Eigen::Index column);

/// A calibrator of one output that knows how far a prediction reaches: `next` is for the row that
/// comes next, and others are for rows that come later, one for each power of two, and for
/// questions of an unknown time, one for each eighth of the prior's variance that is left. In
/// between they are interpolated, so error bars are continuous.
///
/// They learn from what the owner of each row would have expected with less knowledge
/// (core/local_gp/looked_back.h), so nobody has to report anything. Errors that reach h rows stay
/// alike for about h rows, and so the calibrator of h counts one in h/4 as news about the scale;
/// its quantiles follow each, given what was believed h rows ago. One that has learned nothing yet
/// stands back for its neighbor, and starts from there.
class ReachCalibrator {
 public:
  struct Scale {
    double factor;  // multiplies the variances
    double degrees_of_freedom;
    double slope = 0.0;  // of log factor by the log of the share that is left
  };

  /// For a prediction of so many rows ahead, or, if that is not a number, of an unknown time with
  /// so large a share of the prior's variance left, noise included.
  Scale scale(double ahead, double share) const;

  /// What the owner of row `row` found when it looked back, and what would have been answered then;
  /// after next.add().
  void learn(const LookedBack& back, const LookedBack& answered, Eigen::Index output,
             std::uint64_t row);

  Calibrator next;
  Calibrator owners;  // of the innovations, if answers are not the owner's own

  /// All but these two as numbers, for storing a model.
  static constexpr std::size_t kRemembered = 4;
  static constexpr std::size_t kLater = LookedBack::kAges - 1;
  static constexpr std::size_t kShares = 11;
  static constexpr std::size_t kNumbers =
      kLater * (Calibrator::kNumbers + 2 * kRemembered) + kShares * Calibrator::kNumbers;
  std::vector<double> numbers() const;
  /// REQUIRES: kNumbers of them, from numbers().
  void restore(std::span<const double> numbers);

 private:
  /// For rows that come so much later.
  struct Later {
    Calibrator calibrator;
    std::array<Calibrator::Believed, kRemembered> remembered;  // latest first
  };

  /// An interpolation: `above` counts `part`.
  Scale between(const Calibrator& below, const Calibrator& above, double part) const;
  const Calibrator& later(std::size_t power) const;
  const Calibrator& unknown(std::size_t cell) const;
  void learn_later(std::size_t power, double squared, std::uint64_t row);
  void learn_unknown(const LookedBack& back, Eigen::Index output, Eigen::Index column);

  std::array<Later, kLater> later_;          // 2, 4, 8, … rows ahead
  std::array<Calibrator, kShares> unknown_;  // 1, 1/8, 1/64, … of the prior's variance left
};

}  // namespace splitgp
