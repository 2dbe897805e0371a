#pragma once

#include "splitgp/storage.h"

namespace splitgp {

/// Stationary kernels k(x, x') = signal_variance · ρ(r), where r² = Σ ((x_k − x'_k) /
/// length_scale_k)².
enum class KernelFamily {
  automatic,           ///< Train chooses among the four below; rbf until it has.
  rbf,                 ///< ρ = exp(−r²/2)
  matern12,            ///< ρ = exp(−r)
  matern32,            ///< ρ = (1 + √3 r) exp(−√3 r)
  matern52,            ///< ρ = (1 + √5 r + 5r²/3) exp(−√5 r)
  rational_quadratic,  ///< ρ = (1 + r²/(2·shape))^(−shape)
};

/// θ, shared by all local GPs. Variances are those of an output whose output_scale is 1.
struct Hyperparameters {
  KernelFamily kernel = KernelFamily::rbf;
  Vector length_scale;  ///< One for each input; empty means all 1.
  double signal_variance = 1.0;
  double noise_variance = 0.01;
  double shape = 1.0;  ///< Only used by rational_quadratic.
  Vector mean;         ///< Constant prior mean of each output; empty means all 0.
  /// Output o is output_scale_o times a GP with the variances above, so that outputs in different
  /// units still share one factor; empty means all 1.
  Vector output_scale;
  /// A prior mean that is linear in the inputs: output o expects mean_o + Σ_k trend_slope_(o·d + k)
  /// · (x_k − trend_origin_k) where nothing is known. The d slopes of the first output, then those
  /// of the second, …; empty means all 0: a constant mean.
  Vector trend_slope;
  Vector trend_origin;  ///< Where the trend is 0, one value for each input; empty means all 0.
  /// The trend grows with an input only within this distance of its origin, and stays beyond it
  /// what it is there; one value for each input; empty means that it grows without end.
  Vector trend_range;
  /// 0: the trend is part of the prior mean. Otherwise the prior mean is constant, and a local GP
  /// falls back to the trend where its posterior variance exceeds this share of the signal
  /// variance: for rows recorded so densely that θ is fit to fill gaps, not to predict beyond them.
  double trend_reach = 0.0;
};

}  // namespace splitgp
