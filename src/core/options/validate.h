#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "core/options/length_scale_groups.h"
#include "splitgp/ahead.h"
#include "splitgp/options.h"
#include "splitgp/storage.h"

namespace splitgp {

/// Inputs and outputs beyond this are rejected: their squares would overflow.
inline constexpr double kLargestMagnitude = 1e150;

/// Each check throws InvalidArgument naming the field, the row and the value. Rows are counted from
/// 0.
void check_options(const Options& options);
/// Options that are checked, with a value for everything that was automatic.
Options complete(Options options);
void check_values(const char* field, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                  Eigen::Index width);
void check_noise(const Eigen::Ref<const Eigen::VectorXd>& noise_variance,
                 Eigen::Index observations);

/// Each is at least 1, or not a number.
void check_ahead(const Ahead& ahead, Eigen::Index queries);

/// All of the above for a batch of observations, whose noise variances may be omitted. Callers
/// built with another Eigen than the library, such as the Python module, may use it: only plain
/// memory goes in.
void check_batch(const MatrixView& X, const MatrixView& Y, const MatrixView& noise_variance,
                 std::ptrdiff_t inputs, std::ptrdiff_t outputs);

/// Whether a model with these options forgets by itself, so that its size is bounded.
inline bool forgets(const Options& options) {
  return options.window_size > 0 || options.max_observations > 0 || options.max_age > 0.0;
}

/// θ with every empty part filled in; throws InvalidArgument if it is invalid.
Hyperparameters complete(Hyperparameters theta, Eigen::Index inputs, Eigen::Index outputs);
/// The nearest θ that `complete` accepts. What Train makes goes through this: data may vary by more
/// than θ may say, and a file must be able to hold whatever is adopted.
Hyperparameters within_range(Hyperparameters theta);
/// Whether complete() accepts a θ that is complete.
bool is_within_range(const Hyperparameters& theta);
/// Throws InvalidArgument if the inputs of a group have different length scales.
/// REQUIRES: θ is complete.
void check_tied(const Hyperparameters& theta, const LengthScaleGroups& groups);

/// The groups that `options` asks for; throws InvalidArgument if there is not one for each input.
LengthScaleGroups groups_of(const Options& options, Eigen::Index inputs);

/// The θ of a model that has learned nothing yet, complete.
Hyperparameters starting_theta(const Options& options, Eigen::Index inputs, Eigen::Index outputs);

}  // namespace splitgp
