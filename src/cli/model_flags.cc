#include "cli/model_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

constexpr const char* kGroup = "Model (chosen once, when the model is made)";

constexpr std::array<std::pair<const char*, bool FixedHyperparameters::*>, 6> kFixed{{
    {"length_scale", &FixedHyperparameters::length_scale},
    {"signal_variance", &FixedHyperparameters::signal_variance},
    {"noise_variance", &FixedHyperparameters::noise_variance},
    {"shape", &FixedHyperparameters::shape},
    {"mean", &FixedHyperparameters::mean},
    {"output_scale", &FixedHyperparameters::output_scale},
}};

Eigen::VectorXd as_eigen(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

template <typename T>
void require_same(const char* flag, const std::optional<T>& asked, const T& present,
                  const std::string& file) {
  if (!asked || *asked == present) return;
  throw CommandError(kUsage, fmt::format("{} {}: the model in {} was made with {}, and keeps it",
                                         flag, *asked, file, present));
}

}  // namespace

void ModelFlags::add_to(CLI::App& command) {
  const Options defaults;
  const auto option = [&command](const char* name, auto& value, std::string help) {
    return command.add_option(name, value, std::move(help))->group(kGroup);
  };
  option("--split-limit", split_limit,
         fmt::format("A local GP that owns more observations is split ({})", defaults.split_limit));
  option("--kernel", kernel, "auto: training chooses among the first four (auto)")
      ->check(
          CLI::IsMember({"rbf", "matern12", "matern32", "matern52", "rational_quadratic", "auto"}));
  option("--aggregation", aggregation, "How local predictions are weighted (evidence)")
      ->check(CLI::IsMember({"evidence", "similarity", "nearest"}));
  option("--neighbors", neighbors,
         fmt::format("How many local GPs speak; 0: all ({})", defaults.neighbors));
  command.add_flag("--no-taper", no_taper, "Drop local GPs abruptly, as the paper does")
      ->group(kGroup);
  command.add_flag("--no-inherit", no_inherit, "A split forgets the sibling's observations")
      ->group(kGroup);
  option("--principal-direction", principal_direction, "How a split finds its direction (exact)")
      ->check(CLI::IsMember({"exact", "oja"}));
  option("--split-space", split_space, "Where a split measures spread (scaled)")
      ->check(CLI::IsMember({"scaled", "raw"}));
  option("--training", training, "When hyperparameters are trained (inline)")
      ->check(CLI::IsMember({"off", "inline", "background"}));
  option("--training-observations", training_observations,
         fmt::format("How many observations training looks at, at most ({})",
                     defaults.training_observations));
  option("--preset", preset, "paper: the published pseudo-code; other flags still count")
      ->check(CLI::IsMember({"paper"}));
  option("--seed", seed, "Of every random choice (0)");
  command.add_option("--threads", threads, "That share a batch of predictions (1)")
      ->check(CLI::PositiveNumber);  // in no group: it may differ from run to run
  command
      .add_option("--awake-limit", awake_limit,
                  "Local GPs that keep their factors in memory; 0: all (0)")
      ->check(CLI::NonNegativeNumber);
  option("--length-scale", length_scale, "To start from: one, or one for each input")
      ->delimiter(',')
      ->allow_extra_args(false);
  option("--signal-variance", signal_variance, "To start from (1)");
  option("--noise-variance", noise_variance, "To start from (0.01)");
  option("--shape", shape, "To start from; of rational_quadratic only (1)");
  option("--mean", mean, "To start from: one for each target (0)")
      ->delimiter(',')
      ->allow_extra_args(false);
  option("--output-scale", output_scale, "To start from: one for each target (1)")
      ->delimiter(',')
      ->allow_extra_args(false);
  std::vector<std::string> names;
  for (const auto& [name, member] : kFixed) names.emplace_back(name);
  option("--fixed", fixed, "Hyperparameters that training leaves alone: length_scale, …")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names));
}

Options ModelFlags::options() const {
  Options options = preset == "paper" ? Options::paper() : Options{};
  options.split_limit = split_limit.value_or(options.split_limit);
  if (kernel) options.kernel = parse<KernelFamily>("--kernel", *kernel);
  if (aggregation) options.aggregation = parse<Aggregation>("--aggregation", *aggregation);
  options.neighbors = neighbors.value_or(options.neighbors);
  options.taper = options.taper && !no_taper;
  options.inherit = options.inherit && !no_inherit;
  if (principal_direction) {
    options.principal_direction =
        parse<PrincipalDirection>("--principal-direction", *principal_direction);
  }
  if (split_space) options.split_space = parse<SplitSpace>("--split-space", *split_space);
  if (training) options.training = parse<Training>("--training", *training);
  options.training_observations = training_observations.value_or(options.training_observations);
  options.seed = seed.value_or(options.seed);
  options.threads = threads.value_or(options.threads);

  Hyperparameters& theta = options.hyperparameters;
  if (!length_scale.empty()) theta.length_scale = as_eigen(length_scale);
  theta.signal_variance = signal_variance.value_or(theta.signal_variance);
  theta.noise_variance = noise_variance.value_or(theta.noise_variance);
  theta.shape = shape.value_or(theta.shape);
  if (!mean.empty()) theta.mean = as_eigen(mean);
  if (!output_scale.empty()) theta.output_scale = as_eigen(output_scale);
  for (const auto& [name, member] : kFixed) {
    options.fixed.*member = std::find(fixed.begin(), fixed.end(), name) != fixed.end();
  }
  return options;
}

void ModelFlags::check_agreement(const Options& options, const std::string& file) const {
  const auto name = [](auto value) { return std::string(to_string(value)); };
  require_same("--split-limit", split_limit, options.split_limit, file);
  require_same("--kernel", kernel, name(options.kernel), file);
  require_same("--aggregation", aggregation, name(options.aggregation), file);
  require_same("--neighbors", neighbors, options.neighbors, file);
  require_same("--principal-direction", principal_direction, name(options.principal_direction),
               file);
  require_same("--split-space", split_space, name(options.split_space), file);
  require_same("--training", training, name(options.training), file);
  require_same("--training-observations", training_observations, options.training_observations,
               file);
  require_same("--seed", seed, options.seed, file);
  const auto refuse = [&file](const std::string& flag) {
    throw CommandError(kUsage, fmt::format("{}: the model in {} was made without it", flag, file));
  };
  if (no_taper && options.taper) refuse("--no-taper");
  if (no_inherit && options.inherit) refuse("--no-inherit");
  const Hyperparameters& theta = options.hyperparameters;
  require_same("--signal-variance", signal_variance, theta.signal_variance, file);
  require_same("--noise-variance", noise_variance, theta.noise_variance, file);
  require_same("--shape", shape, theta.shape, file);
  if (preset) {
    const Options paper = Options::paper();
    if (options.aggregation != paper.aggregation && !aggregation) refuse("--preset paper");
    if (options.inherit != paper.inherit) refuse("--preset paper");
  }
  for (const auto& [field, member] : kFixed) {
    const bool asked = std::find(fixed.begin(), fixed.end(), field) != fixed.end();
    if (asked && !(options.fixed.*member)) refuse(fmt::format("--fixed {}", field));
  }
}

}  // namespace splitgp
