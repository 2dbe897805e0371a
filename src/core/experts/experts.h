#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/experts/linear_expert.h"
#include "core/experts/mixture.h"
#include "core/experts/seen_range.h"
#include "core/local_gp/looked_back.h"

namespace splitgp {

/// Experts beside f: f with a share of its last error, the mean and the last value of the stream,
/// and a linear model of it. A stream's errors follow each other, and f may be wrong where
/// something simpler is right; the rows so far decide how far each of them is listened to.
///
/// There is a Mixture for each power of two of rows that a prediction may reach, because what is
/// known of the last row fades; they learn from what the owner of each row would have expected with
/// less knowledge (core/local_gp/looked_back.h). A prediction of an unknown time is f's alone.
class Experts {
 public:
  Experts(Eigen::Index inputs, Eigen::Index outputs);

  /// f's answer to x, of so many rows ahead (splitgp/ahead.h), with its variance, noise included
  /// and before calibration.
  Mixed mix(Eigen::Index output, double ahead, const Eigen::Ref<const Eigen::VectorXd>& x,
            double mean, double variance) const;
  double linear_slope(Eigen::Index output, Eigen::Index input) const {
    return linear_.slope(output, input);
  }

  /// Learns a row from what its owner found when it looked back, and makes of that what the
  /// mixtures would have answered: errors and variances, in the columns of kAges.
  void learn(const Eigen::Ref<const Eigen::VectorXd>& x, const Eigen::Ref<const Eigen::VectorXd>& y,
             const LookedBack& back, LookedBack& answered);

  /// An observation with these outputs was taken back, the `age`-th before the next one: what was
  /// kept of it alone goes. Sums over the stream stay.
  void forget(std::uint64_t age, const Eigen::Ref<const Eigen::VectorXd>& y);

  /// An upper bound of the operations that learn() counts.
  Eigen::Index most_operations() const { return linear_.most_operations(); }

  /// For the next row.
  const Mixture& next(Eigen::Index output) const { return of_[at(output)].mixtures.front(); }

  std::size_t n_numbers() const;
  std::vector<double> numbers() const;
  /// REQUIRES: n_numbers() of them, from numbers().
  void restore(std::span<const double> numbers);
  std::size_t memory_bytes() const;

 private:
  static constexpr Eigen::Index kReaches = LookedBack::kAges;
  static constexpr std::uint64_t kRemembered = LookedBack::age(kReaches - 1);

  struct Output {
    std::array<Mixture, kReaches> mixtures;
    std::array<double, kReaches> means{};  // of the rows that are as old as the reach
    SeenRange range;
    std::vector<double> errors = std::vector<double>(kRemembered);  // f's, of the last rows
    std::vector<double> values = std::vector<double>(kRemembered);
  };

  static std::size_t at(Eigen::Index output) { return static_cast<std::size_t>(output); }
  Opinions opinions(const Output& of, std::size_t reach, std::uint64_t age) const;

  std::uint64_t rows_ = 0;
  LinearExpert linear_;
  std::vector<Output> of_;
};

}  // namespace splitgp
