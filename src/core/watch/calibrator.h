#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace splitgp {

/// Learns from innovations how far the errors of one output really reach: a factor for the
/// variances and the degrees of freedom of a Student-t, normal when the data say so.
///
/// An innovation is the error of a one-step-ahead prediction over the standard deviation that was
/// predicted for it; if all is right its square has mean 1. Appending gives the owner's for free.
/// Experts, each with a memory and degrees of freedom of its own, follow the scale of the
/// innovations, and are mixed by how well they foretold the latest ones (Herbster and Warmuth's
/// fixed share: whoever was wrong yesterday may be right tomorrow, after a few rows). Two
/// quantiles, followed one by one, then mend what is left: the t that is reported has the center
/// and the tail that the innovations have.
///
/// The state depends only on the sequence of calls, and its size is constant.
class Calibrator {
 public:
  /// What one update showed, both in units of the variance before calibration: the squared error of
  /// the owner's prediction, and of the aggregated one if it was made.
  void add(double local, std::optional<double> aggregated);
  /// The two halves of add() without an aggregated prediction, for whoever has less news about the
  /// scale than about the quantiles: the quantiles of the distribution that was `believed` when the
  /// prediction was made, and the scale.
  struct Believed {
    double scale = 1.0;  // scale²
    double shape = 0.0;  // 1 / degrees of freedom
  };
  void mend(double local, const Believed& believed, double strength);
  void follow(double local);
  /// How much the quantiles count after so many rows: the scale has to be found first.
  static double strength_after(std::uint64_t rows);
  Believed believed() const { return {mixed_scale_, mixed_shape_}; }
  /// What one update showed about the conformal intervals; before add(), which moves the yardstick.
  void add_conformal(double aggregated);
  /// Whether the update in hand should score the aggregated prediction: it costs a prediction, and
  /// how much it gains on the local one changes slowly.
  /// `ahead`: after so many more updates.
  bool wants_aggregated(std::uint64_t ahead = 0) const {
    return (updates_ + ahead) % kAggregatedEvery == kAggregatedEvery - 1;
  }

  /// Multiplies the variances; with it they are those of the Student-t.
  double factor() const { return factor_; }
  /// The same for the owner's prediction alone.
  double local_factor() const { return local_factor_; }
  /// factor() over local_factor().
  double aggregated_ratio() const { return factor_ / local_factor_; }
  /// The updates it has learned from.
  std::uint64_t updates() const { return updates_; }
  /// Believes the same, but as if it had seen nothing: what comes next moves it easily.
  void forget_updates() { updates_ = 0; }
  /// Above 2, so that the variance is finite; infinite for a normal distribution.
  double degrees_of_freedom() const { return degrees_of_freedom_; }

  /// Levels whose intervals the conformal mode follows.
  static constexpr std::array kLevels{0.5, 0.8, 0.9, 0.95, 0.99};
  /// Half the interval of each level of a t with these degrees of freedom, in standard deviations;
  /// never less than that of a lower level.
  void half_widths(double degrees_of_freedom, std::span<double, kLevels.size()> result) const;

  /// Everything above as numbers, for storing a model.
  static constexpr std::size_t kNumbers = 5 + kLevels.size() + 2 * 24;
  std::vector<double> numbers() const;
  /// REQUIRES: kNumbers of them, from numbers().
  static Calibrator restore(std::span<const double> numbers);

  Calibrator();

 private:
  static constexpr std::uint64_t kAggregatedEvery = 16;
  static constexpr std::size_t kMemories = 4;
  static constexpr std::size_t kShapes = 6;
  static constexpr std::size_t kExperts = kMemories * kShapes;
  static_assert(kExperts == 24);

  void follow_aggregated(double local, double aggregated);
  void follow_quantiles(double local, const Believed& believed, double strength);
  void weigh_experts(double local);
  void follow_scales(double local);
  void mix();
  void settle();

  std::uint64_t updates_ = 0;
  std::uint64_t aggregated_ = 0;
  double log_ratio_ = 0.0;  // of the aggregated prediction's scale² to the local one's
  double center_ = 0.0;     // log of the innovations' 50 % point over the mixture's, …
  double tail_ = 0.0;       // … and of their 95 % point
  std::array<double, kExperts> scale_;  // each expert's scale²
  std::array<double, kExperts> weight_;
  std::array<double, kLevels.size()> widening_{};  // log, of the conformal intervals

  // What follows from it, kept because every prediction asks.
  double mixed_scale_ = 1.0;
  double mixed_shape_ = 0.0;  // 1 / degrees of freedom
  double factor_ = 1.0;
  double local_factor_ = 1.0;
  double degrees_of_freedom_ = std::numeric_limits<double>::infinity();
};

}  // namespace splitgp
