#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "splitgp/options.h"

namespace splitgp {

/// The one table of options. Flags, --config keys, rows of the model file, `inspect`, Python
/// keywords and docs/options.md are all made from it: a new option is a member of Options with its
/// doc comment, and one entry here.
struct OptionEntry {
  std::string_view name;  ///< As the member's; a flag has hyphens for the underscores.
  std::string_view help;  ///< One phrase for people, without the default.
  std::int64_t least = 0;           ///< The smallest integer that makes sense, …
  std::string_view zero_means = {};  ///< … besides 0, if that means something of its own.
  bool may_change = false;  ///< In an existing model, because no result depends on it.
};

/// Calls visit(entry, member) for every option. The member has the type and, in a default Options,
/// the default.
template <typename AnyOptions, typename Visitor>
void each_option(AnyOptions& options, Visitor&& visit) {
  visit(OptionEntry{"split_limit", "Most observations a local GP owns before it is split", 1},
        options.split_limit);
  visit(OptionEntry{"kernel", "Kernel family; auto lets training choose"}, options.kernel);
  visit(OptionEntry{"aggregation", "How local predictions are weighted"}, options.aggregation);
  visit(OptionEntry{"neighbors", "How many of the most similar local GPs are asked; 0 asks all", 1,
                    "all local GPs"},
        options.neighbors);
  visit(OptionEntry{"taper",
                    "Fade a local GP out before it leaves the most similar ones, so that "
                    "predictions stay continuous"},
        options.taper);
  visit(OptionEntry{"inherit",
                    "After a split each half keeps the other's observations until new ones "
                    "displace them, so that a split changes no prediction"},
        options.inherit);
  visit(OptionEntry{"principal_direction", "How a split finds its direction"},
        options.principal_direction);
  visit(OptionEntry{"split_space", "Where a split measures the spread of inputs"},
        options.split_space);
  visit(OptionEntry{"training", "When the hyperparameters are trained"}, options.training);
  visit(OptionEntry{"training_observations", "Most observations that one training looks at", 2},
        options.training_observations);
  visit(OptionEntry{.name = "threads",
                    .help = "Threads that share a batch of predictions",
                    .least = 1,
                    .may_change = true},
        options.threads);
  visit(OptionEntry{"seed", "Seed of every random choice"}, options.seed);
}

/// The same for the parts of θ: visit(entry, member).
template <typename AnyHyperparameters, typename Visitor>
void each_hyperparameter(AnyHyperparameters& theta, Visitor&& visit) {
  visit(OptionEntry{"kernel", "Kernel family"}, theta.kernel);
  visit(OptionEntry{"length_scale", "Length scales, one for each input"}, theta.length_scale);
  visit(OptionEntry{"signal_variance", "Variance of the function"}, theta.signal_variance);
  visit(OptionEntry{"noise_variance", "Variance of the noise"}, theta.noise_variance);
  visit(OptionEntry{"shape", "Shape of the rational_quadratic kernel"}, theta.shape);
  visit(OptionEntry{"mean", "Prior mean, one for each output"}, theta.mean);
  visit(OptionEntry{"output_scale", "Scale of each output"}, theta.output_scale);
}

/// The parts of θ that may be fixed: visit(name, member).
template <typename AnyFixed, typename Visitor>
void each_fixed(AnyFixed& fixed, Visitor&& visit) {
  visit(std::string_view("length_scale"), fixed.length_scale);
  visit(std::string_view("signal_variance"), fixed.signal_variance);
  visit(std::string_view("noise_variance"), fixed.noise_variance);
  visit(std::string_view("shape"), fixed.shape);
  visit(std::string_view("mean"), fixed.mean);
  visit(std::string_view("output_scale"), fixed.output_scale);
}

/// A value of an enumeration as people write it.
template <typename Enum>
struct NamedValue {
  Enum value;
  std::string_view name;
  std::string_view help;
};

/// All values of an option's enumeration.
template <typename Enum>
std::span<const NamedValue<Enum>> named_values();

}  // namespace splitgp
