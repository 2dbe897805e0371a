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
  std::string_view name;             ///< The member's name; a flag has hyphens for underscores.
  std::string_view help;             ///< One phrase for people, without the default.
  std::int64_t least = 0;            ///< The smallest valid integer, …
  std::string_view zero_means = {};  ///< … besides 0, if 0 has a meaning of its own.
  std::string_view automatic = {};   ///< What it follows from, if it may be kAutomatic.
  bool may_change = false;           ///< In an existing model: no result depends on it.
  std::string_view without = {};     ///< For an option that is on by default: what off means.
  std::string_view none = {};        ///< For a list: what an empty one means.
  std::uint32_t since = 1;  ///< The first file format that has it; older files have the default.
};

/// Calls visit(entry, pointer to the member of Options) for every option. The member gives the type
/// and, in a default Options, the default.
template <typename Visitor>
void each_option(Visitor&& visit) {
  visit(OptionEntry{.name = "capacity",
                    .help = "Most observations a local GP conditions on, its own and borrowed ones",
                    .least = 1,
                    .automatic = "250, within one to four times split_limit",
                    .since = 2},
        &Options::capacity);
  visit(OptionEntry{.name = "split_limit",
                    .help = "Most observations a local GP owns before it is split",
                    .least = 1,
                    .automatic = "a quarter of capacity"},
        &Options::split_limit);
  visit(OptionEntry{"kernel", "Kernel family; auto lets training choose"}, &Options::kernel);
  visit(OptionEntry{"aggregation", "How local predictions are weighted"}, &Options::aggregation);
  visit(OptionEntry{.name = "neighbors",
                    .help = "How many of the most similar local GPs are asked; 0 asks all",
                    .least = 1,
                    .zero_means = "all local GPs",
                    .automatic = "3, or 8 if capacity = split_limit"},
        &Options::neighbors);
  visit(OptionEntry{.name = "taper",
                    .help = "Fade a local GP out before it leaves the most similar ones, so that "
                            "predictions stay continuous",
                    .without = "Drop local GPs abruptly, as the paper does"},
        &Options::taper);
  visit(OptionEntry{.name = "inherit",
                    .help = "After a split each half keeps the other's observations until nearer "
                            "ones displace them, so that a split changes no prediction",
                    .without = "A local GP conditions on nothing but what it owns"},
        &Options::inherit);
  visit(OptionEntry{"principal_direction", "How a split finds its direction"},
        &Options::principal_direction);
  visit(OptionEntry{"split_space", "Where a split measures the spread of inputs"},
        &Options::split_space);
  visit(OptionEntry{"training", "When the hyperparameters are trained"}, &Options::training);
  visit(OptionEntry{"training_observations", "Most observations that one training looks at", 2},
        &Options::training_observations);
  visit(OptionEntry{.name = "calibration",
                    .help = "How variances and intervals follow the errors that are made",
                    .since = 2},
        &Options::calibration);
  visit(OptionEntry{.name = "surprise",
                    .help = "Train at once when new rows are far from what the model promised",
                    .without = "Train only when the stream has grown by half",
                    .since = 2},
        &Options::surprise);
  visit(OptionEntry{.name = "trend",
                    .help = "Whether training looks for a prior mean that is linear in the inputs",
                    .since = 2},
        &Options::trend);
  visit(OptionEntry{.name = "on_drift", .help = "What an alarm does to the model", .since = 3},
        &Options::on_drift);
  visit(
      OptionEntry{.name = "rows_per_false_alarm",
                  .help = "A stream that does not change raises a false alarm every so many rows, "
                          "or less often",
                  .least = 100,
                  .since = 3},
      &Options::rows_per_false_alarm);
  visit(OptionEntry{.name = "outliers",
                    .help = "What happens to single readings that are absurd",
                    .since = 3},
        &Options::outliers);
  visit(OptionEntry{.name = "window_size",
                    .help = "Keep the last so many observations, forget older ones; 0 keeps all",
                    .least = 1,
                    .zero_means = "all",
                    .since = 3},
        &Options::window_size);
  visit(OptionEntry{.name = "max_observations",
                    .help = "Most observations that are held; 0: no limit",
                    .least = 1,
                    .zero_means = "no limit",
                    .since = 3},
        &Options::max_observations);
  visit(OptionEntry{.name = "forget",
                    .help = "Which observation gives way when there are max_observations",
                    .since = 3},
        &Options::forget);
  visit(OptionEntry{.name = "max_age",
                    .help = "Forget observations older than this, in the unit of their times; 0: "
                            "however old",
                    .since = 3},
        &Options::max_age);
  visit(OptionEntry{.name = "length_scale_groups",
                    .help = "A group for each input; those with the same number share a length "
                            "scale",
                    .none = "each input has its own",
                    .since = 3},
        &Options::length_scale_groups);
  visit(OptionEntry{.name = "threads",
                    .help = "Threads that share a batch of predictions",
                    .least = 1,
                    .may_change = true},
        &Options::threads);
  visit(OptionEntry{"seed", "Seed of every random choice"}, &Options::seed);
}

/// The same for the parts of θ: visit(entry, pointer to the member of Hyperparameters).
template <typename Visitor>
void each_hyperparameter(Visitor&& visit) {
  visit(OptionEntry{"kernel", "Kernel family"}, &Hyperparameters::kernel);
  visit(OptionEntry{"length_scale", "Length scales, one for each input"},
        &Hyperparameters::length_scale);
  visit(OptionEntry{"signal_variance", "Variance of the function"},
        &Hyperparameters::signal_variance);
  visit(OptionEntry{"noise_variance", "Variance of the noise"}, &Hyperparameters::noise_variance);
  visit(OptionEntry{"shape", "Shape of the rational_quadratic kernel"}, &Hyperparameters::shape);
  visit(OptionEntry{"mean", "Prior mean, one for each output"}, &Hyperparameters::mean);
  visit(OptionEntry{"output_scale", "Scale of each output"}, &Hyperparameters::output_scale);
  visit(
      OptionEntry{.name = "trend_slope",
                  .help = "Slopes of the prior mean: all inputs of the first output, then the next",
                  .since = 2},
      &Hyperparameters::trend_slope);
  visit(OptionEntry{.name = "trend_origin",
                    .help = "Where the trend is 0, one value for each input",
                    .since = 2},
        &Hyperparameters::trend_origin);
  visit(OptionEntry{.name = "trend_reach",
                    .help = "The share of variance left at which the trend replaces a local GP; 0: "
                            "the trend is part of the prior",
                    .since = 2},
        &Hyperparameters::trend_reach);
}

/// The parts of θ that may be fixed: visit(name, pointer to the member of FixedHyperparameters).
template <typename Visitor>
void each_fixed(Visitor&& visit) {
  visit(std::string_view("length_scale"), &FixedHyperparameters::length_scale);
  visit(std::string_view("signal_variance"), &FixedHyperparameters::signal_variance);
  visit(std::string_view("noise_variance"), &FixedHyperparameters::noise_variance);
  visit(std::string_view("shape"), &FixedHyperparameters::shape);
  visit(std::string_view("mean"), &FixedHyperparameters::mean);
  visit(std::string_view("output_scale"), &FixedHyperparameters::output_scale);
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
