#pragma once

#include <cstdint>
#include <limits>

#include "core/train/training_set.h"
#include "splitgp/hyperparameters.h"

namespace splitgp {

inline constexpr std::uint64_t kAllObservations = std::numeric_limits<std::uint64_t>::max();

/// Whether θ has a trend at all, and whether it is only what local GPs fall back to.
bool has_trend(const Hyperparameters& theta);
bool falls_back(const Hyperparameters& theta);

/// θ with a constant mean.
Hyperparameters without_trend(Hyperparameters theta);

/// θ with the mean and the slopes that fit the observations best, given the rest of θ: generalised
/// least squares over the blocks. Each slope has a normal prior, whose standard deviation is one
/// spread of the output for each spread of the input: what the data leave open, such as which of
/// two collinear inputs is the cause, is settled by small slopes. Only observations before number
/// `until` are looked at. θ as it is where a kernel matrix is not positive definite. O(Σ n³/3)
Hyperparameters with_trend(const TrainingSet& set, const Hyperparameters& theta,
                           std::uint64_t until = kAllObservations);

/// θ with a trend to fall back to: by ridge regression, as if all observations were independent,
/// because θ's kernel, fit to fill small gaps, says nothing about large ones. O(n·d²)
Hyperparameters with_fallback(const TrainingSet& set, const Hyperparameters& theta,
                              std::uint64_t until = kAllObservations);

}  // namespace splitgp
