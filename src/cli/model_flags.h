#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "splitgp/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace splitgp {

/// The option table (core/options/option_table.h) as flags: --split-limit for split_limit. What is
/// not given is the library's default, or the model file's.
class ModelFlags {
 public:
  /// REQUIRES: this object stays where it is until the command line is parsed.
  void add_to(CLI::App& command);

  /// For a new model.
  Options options() const;

  /// A model keeps the options it was made with. Throws CommandError naming the first flag that
  /// asks for something else than `options`, which are those of `file`.
  void check_agreement(const Options& options, const std::string& file) const;

  std::optional<int> factor_cache_limit;
  std::optional<int> threads;  ///< The one option that may differ from run to run.
  /// How a new model is trained if no flag says so; unset: as the library does it.
  std::optional<Training> usual_training;

 private:
  bool given(std::string_view name) const;
  std::optional<Hyperparameters> given_theta() const;
  void check_theta(const Options& options, const std::string& file) const;
  bool paper() const { return preset_ == "paper"; }

  Options asked_;          // the values of the flags that were given
  Hyperparameters theta_;  // too
  std::map<std::string, std::vector<double>, std::less<>> lists_;  // of θ, as CLI11 reads them
  std::vector<std::string> fixed_;
  std::string preset_;
  std::map<std::string, const CLI::Option*, std::less<>> flags_;  // by the option's name
};

}  // namespace splitgp
