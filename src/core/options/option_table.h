#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "splitgp/options.h"

namespace splitgp {

/// The one table of options. Flags, --config keys, rows of the model file, `inspect`, Python
/// keywords and docs/options.md are all made from it: a new option is a member of Options with its
/// doc comment, and one entry here.
struct OptionEntry {
  std::string_view name;             ///< The member's name; a flag has hyphens for underscores.
  std::string_view help;             ///< One phrase for people, without the default.
  std::string_view group = {};       ///< Under which heading it stands.
  std::int64_t least = 0;            ///< The smallest valid integer, …
  std::string_view zero_means = {};  ///< … besides 0, if 0 has a meaning of its own.
  std::string_view automatic = {};   ///< What it follows from, if it may be kAutomatic.
  bool may_change = false;           ///< In an existing model: no result depends on it.
  std::string_view without = {};     ///< For an option that is on by default: what off means.
  std::string_view none = {};        ///< For a list: what an empty one means.
  std::uint32_t since = 1;  ///< The first file format that has it; older files have the default.
};

/// The headings, in order.
inline constexpr std::string_view kCost = "What it costs";
inline constexpr std::string_view kTraining = "Training";
inline constexpr std::string_view kErrorBars = "Error bars";
inline constexpr std::string_view kChange = "Change";
inline constexpr std::string_view kForgetting = "Forgetting";
inline constexpr std::string_view kComparison = "For comparison with the paper";

/// The type of an option, from what each_option() hands over for it.
template <typename Of>
using OptionValue = std::remove_cvref_t<std::invoke_result_t<Of, Options&>>;

/// Calls visit(entry, of) for every option, heading by heading; of(options) is its value. Its type
/// is OptionValue<decltype(of)> and, in a default Options, the default.
template <typename Visitor>
void each_option(Visitor&& visit) {
  visit(
      OptionEntry{.name = "capacity",
                  .help = "Most observations a local GP conditions on, its own and borrowed ones",
                  .group = kCost,
                  .least = 1,
                  .automatic = "250, within one to four times split_limit",
                  .since = 2},
      [](auto& options) -> auto& { return options.capacity; });
  visit(
      OptionEntry{.name = "split_limit",
                  .help = "Most observations a local GP owns before it is split",
                  .group = kCost,
                  .least = 1,
                  .automatic = "a quarter of capacity"},
      [](auto& options) -> auto& { return options.split_limit; });
  visit(
      OptionEntry{.name = "neighbors",
                  .help = "How many of the most similar local GPs are asked; 0 asks all",
                  .group = kCost,
                  .least = 1,
                  .zero_means = "all local GPs",
                  .automatic = "3, or 8 if capacity = split_limit"},
      [](auto& options) -> auto& { return options.neighbors; });
  visit(
      OptionEntry{.name = "threads",
                  .help = "Threads that share a batch of predictions",
                  .group = kCost,
                  .least = 1,
                  .may_change = true},
      [](auto& options) -> auto& { return options.threads; });
  visit(
      OptionEntry{
          .name = "kernel", .help = "Kernel family; auto lets training choose", .group = kTraining},
      [](auto& options) -> auto& { return options.kernel; });
  visit(
      OptionEntry{
          .name = "training", .help = "When the hyperparameters are trained", .group = kTraining},
      [](auto& options) -> auto& { return options.training; });
  visit(
      OptionEntry{.name = "training_observations",
                  .help = "Most observations that one training looks at",
                  .group = kTraining,
                  .least = 2},
      [](auto& options) -> auto& { return options.training_observations; });
  visit(
      OptionEntry{.name = "surprise",
                  .help = "Train at once when new rows are far from what the model promised",
                  .group = kTraining,
                  .without = "Train only when the stream has grown by half",
                  .since = 2},
      [](auto& options) -> auto& { return options.surprise; });
  visit(
      OptionEntry{.name = "trend",
                  .help = "Whether training looks for a prior mean that is linear in the inputs",
                  .group = kTraining,
                  .since = 2},
      [](auto& options) -> auto& { return options.trend; });
  visit(
      OptionEntry{.name = "length_scale_groups",
                  .help = "A group for each input; those with the same number share a length "
                          "scale",
                  .group = kTraining,
                  .none = "each input has its own",
                  .since = 3},
      [](auto& options) -> auto& { return options.length_scale_groups; });
  visit(
      OptionEntry{.name = "seed", .help = "Seed of every random choice", .group = kTraining},
      [](auto& options) -> auto& { return options.seed; });
  visit(
      OptionEntry{.name = "calibration",
                  .help = "How variances and intervals follow the errors that are made",
                  .group = kErrorBars,
                  .since = 2},
      [](auto& options) -> auto& { return options.calibration; });
  visit(
      OptionEntry{.name = "experts",
                  .help = "Mix the answers with the last error, the mean, the last value and a "
                          "linear model, as far as these have been right",
                  .group = kErrorBars,
                  .without = "The local GPs answer alone",
                  .since = 5},
      [](auto& options) -> auto& { return options.experts; });
  visit(
      OptionEntry{.name = "on_drift",
                  .help = "What an alarm does to the model",
                  .group = kChange,
                  .since = 3},
      [](auto& options) -> auto& { return options.on_drift; });
  visit(
      OptionEntry{.name = "rows_per_false_alarm",
                  .help = "A stream that does not change raises a false alarm every so many rows, "
                          "or less often",
                  .group = kChange,
                  .least = 100,
                  .since = 3},
      [](auto& options) -> auto& { return options.rows_per_false_alarm; });
  visit(
      OptionEntry{.name = "outliers",
                  .help = "What happens to single readings that are absurd",
                  .group = kChange,
                  .since = 3},
      [](auto& options) -> auto& { return options.outliers; });
  visit(
      OptionEntry{.name = "window_size",
                  .help = "Keep the last so many observations, forget older ones; 0 keeps all",
                  .group = kForgetting,
                  .least = 1,
                  .zero_means = "all",
                  .since = 3},
      [](auto& options) -> auto& { return options.window_size; });
  visit(
      OptionEntry{.name = "max_observations",
                  .help = "Most observations that are held; 0: no limit",
                  .group = kForgetting,
                  .least = 1,
                  .zero_means = "no limit",
                  .since = 3},
      [](auto& options) -> auto& { return options.max_observations; });
  visit(
      OptionEntry{.name = "forget",
                  .help = "Which observation gives way when there are max_observations",
                  .group = kForgetting,
                  .since = 3},
      [](auto& options) -> auto& { return options.forget; });
  visit(
      OptionEntry{.name = "max_age",
                  .help = "Forget observations older than this, in the unit of their times; 0: "
                          "however old",
                  .group = kForgetting,
                  .since = 3},
      [](auto& options) -> auto& { return options.max_age; });
  visit(
      OptionEntry{.name = "aggregation",
                  .help = "How local predictions are weighted",
                  .group = kComparison},
      [](auto& options) -> auto& { return options.comparison.aggregation; });
  visit(
      OptionEntry{.name = "taper",
                  .help = "Fade a local GP out before it leaves the most similar ones, so that "
                          "predictions stay continuous",
                  .group = kComparison,
                  .without = "Drop local GPs abruptly, as the paper does"},
      [](auto& options) -> auto& { return options.comparison.taper; });
  visit(
      OptionEntry{.name = "inherit",
                  .help = "After a split each half keeps the other's observations until nearer "
                          "ones displace them, so that a split changes no prediction",
                  .group = kComparison,
                  .without = "A local GP conditions on nothing but what it owns"},
      [](auto& options) -> auto& { return options.comparison.inherit; });
  visit(
      OptionEntry{.name = "principal_direction",
                  .help = "How a split finds its direction",
                  .group = kComparison},
      [](auto& options) -> auto& { return options.comparison.principal_direction; });
  visit(
      OptionEntry{.name = "split_space",
                  .help = "Where a split measures the spread of inputs",
                  .group = kComparison},
      [](auto& options) -> auto& { return options.comparison.split_space; });
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
  visit(OptionEntry{.name = "trend_range",
                    .help = "How far from its origin the trend grows with an input, one value for "
                            "each input",
                    .since = 5},
        &Hyperparameters::trend_range);
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
