#pragma once

#include <span>
#include <string_view>

#include "splitgp/options.h"

namespace splitgp::c {

/// Sets an option of the table by its name and the text of its value, or "preset" or "fixed".
/// Throws InvalidArgument; whether a number is in range is checked when a model is made.
void set_option(Options& options, std::string_view name, std::string_view value);

/// The same for a part of θ, which has one value or several.
void set_hyperparameter(Hyperparameters& theta, std::string_view name,
                        std::span<const double> values);

}  // namespace splitgp::c
