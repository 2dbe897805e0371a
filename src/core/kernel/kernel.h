#pragma once

#include <Eigen/Core>

#include "splitgp/hyperparameters.h"

namespace splitgp {

/// k_θ as a function of r² = Σ ((x_k − x'_k) / length_scale_k)². Noise is not part of it.
///
/// All families fall monotonically in r², so "most similar" is "smallest r²", and similarities are
/// compared there or in logs: k itself underflows far from the data.
class Kernel {
 public:
  /// r² is capped here. Beyond it every family but rational_quadratic is 0 in double precision; the
  /// cap keeps polynomial × exp from becoming ∞ × 0.
  static constexpr double kLargestSquaredDistance = 1e300;

  /// REQUIRES: theta was completed and checked (core/options/validate.h).
  explicit Kernel(const Hyperparameters& theta);

  KernelFamily family() const { return family_; }
  /// k(x, x)
  double signal_variance() const { return signal_variance_; }
  const Eigen::VectorXd& inverse_length_scale() const { return inverse_length_scale_; }

  /// r² between x and every row of `points` (n × d, each input contiguous). Differences are taken
  /// first, because large offsets would cancel otherwise. O(n·d)
  void squared_distances(const Eigen::Ref<const Eigen::MatrixXd>& points,
                         const Eigen::Ref<const Eigen::VectorXd>& x,
                         Eigen::Ref<Eigen::VectorXd> squared_distance) const;

  /// Replaces r² by k, many values at once.
  void values_in_place(Eigen::Ref<Eigen::ArrayXXd> squared_distance) const;

  /// The lower triangle of k between all points (rows); the rest of K is left as it is.
  void lower_triangle(const Eigen::Ref<const Eigen::MatrixXd>& points,
                      Eigen::Ref<Eigen::MatrixXd> K) const;

  /// log(k / signal_variance), without underflow.
  double log_similarity(double squared_distance) const;

  /// d log_similarity / d(r²); where Matérn 1/2 has a kink, at r = 0, and where r² is capped, 0.
  double log_similarity_slope(double squared_distance) const;

  /// Replaces r² by the slope −2 dk/d(r²), given k at the same places: ∂k/∂x_k is the slope times
  /// (x'_k − x_k) / length_scale_k². No exponentials. Matérn 1/2 has a kink at r = 0, and 0 stands
  /// there: the mean of the slopes around it.
  void slopes_in_place(const Eigen::Ref<const Eigen::ArrayXd>& value,
                       Eigen::Ref<Eigen::ArrayXd> squared_distance) const;

  /// The derivatives of k by log hyperparameters, elementwise for many values of r²:
  ///   ∂k/∂log length_scale_k  = slope · ((x_k − x'_k) / length_scale_k)²
  ///   ∂k/∂log signal_variance = value
  ///   ∂k/∂log shape           = shape_derivative (untouched unless rational_quadratic)
  /// where slope = −2 dk/d(r²); Matérn 1/2 has none at r = 0, and 0 is used there, which is
  /// multiplied by 0. One exponential per value.
  void derivatives(const Eigen::Ref<const Eigen::ArrayXd>& squared_distance,
                   Eigen::Ref<Eigen::ArrayXd> value, Eigen::Ref<Eigen::ArrayXd> slope,
                   Eigen::Ref<Eigen::ArrayXd> shape_derivative) const;

 private:
  KernelFamily family_;
  Eigen::VectorXd inverse_length_scale_;
  double signal_variance_;
  double shape_;
};

}  // namespace splitgp
