#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "splitgp/options.h"

namespace CLI {
class App;
}

namespace splitgp {

/// Options as flags: each has the name of its field. What is not given is the library's default,
/// or the model file's.
struct ModelFlags {
  std::optional<int> split_limit;
  std::optional<std::string> kernel;
  std::optional<std::string> aggregation;
  std::optional<int> neighbors;
  bool no_taper = false;
  bool no_inherit = false;
  std::optional<std::string> principal_direction;
  std::optional<std::string> split_space;
  std::optional<std::string> training;
  std::optional<int> training_observations;
  std::optional<std::string> preset;
  std::optional<std::uint64_t> seed;
  std::optional<int> awake_limit;
  std::optional<int> threads;
  std::vector<double> length_scale;
  std::optional<double> signal_variance;
  std::optional<double> noise_variance;
  std::optional<double> shape;
  std::vector<double> mean;
  std::vector<double> output_scale;
  std::vector<std::string> fixed;

  void add_to(CLI::App& command);

  /// For a new model.
  Options options() const;

  /// A model keeps the options it was made with. Throws CommandError naming the first flag that
  /// asks for something else than `options`, which are those of `file`.
  void check_agreement(const Options& options, const std::string& file) const;
};

}  // namespace splitgp
