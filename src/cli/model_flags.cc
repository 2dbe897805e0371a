#include "cli/model_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <type_traits>
#include <utility>

#include "cli/age.h"
#include "cli/exit_code.h"
#include "cli/number_checks.h"
#include "core/options/option_table.h"

namespace splitgp {
namespace {

const Options kDefaults;
constexpr const char* kOptions = "Model (chosen once, when the model is made)";

std::string heading(const OptionEntry& entry) {
  return fmt::format("{}: {}", kOptions, entry.group);
}

constexpr const char* kTheta =
    "Hyperparameters to start from (without any, they follow the scale of the data)";

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

template <typename Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(to_string(value));
  } else if constexpr (requires { value.begin(); }) {
    return value.begin() == value.end()
               ? "none"
               : fmt::format("{}", fmt::join(value.begin(), value.end(), ","));
  } else {
    return fmt::format("{}", value);
  }
}

template <typename Enum>
std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const NamedValue<Enum>& value : named_values<Enum>()) result.emplace_back(value.name);
  return result;
}

// A flag switches an option away from its default.
std::string switch_of(std::string_view name, bool by_default) {
  const std::string flag = flag_of(name);
  return by_default ? "--no-" + flag.substr(2) : flag;
}

[[noreturn]] void refuse(const std::string& flag, const std::string& file) {
  throw CommandError(kUsage, fmt::format("{}: the model in {} was made without it", flag, file));
}

template <typename Value>
void require_same(std::string_view name, const Value& asked, const Value& present,
                  const std::string& file) {
  if (asked == present) return;
  throw CommandError(kUsage, fmt::format("{} {}: the model in {} was made with {}, and keeps it",
                                         flag_of(name), text_of(asked), file, text_of(present)));
}

}  // namespace

void ModelFlags::add_to(CLI::App& command) {
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    if (entry.may_change) return;
    Value& value = of(asked_);
    CLI::Option* flag = nullptr;
    if constexpr (std::is_same_v<Value, bool>) {
      flag = command.add_flag(
          switch_of(entry.name, value),
          [&value, by_default = value](std::int64_t) { value = !by_default; },
          std::string(value ? entry.without : entry.help));
    } else if constexpr (std::is_enum_v<Value>) {
      flag = command
                 .add_option_function<std::string>(
                     flag_of(entry.name),
                     [&value, name = entry.name](const std::string& text) {
                       value = parse<Value>(name, text);
                     },
                     fmt::format("{} ({})", entry.help, to_string(value)))
                 ->check(CLI::IsMember(names<Value>()));
    } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
      flag = command
                 .add_option(flag_of(entry.name), value,
                             fmt::format("{} ({})", entry.help, entry.none))
                 ->delimiter(',')
                 ->allow_extra_args(false);
    } else {
      const std::string by_default =
          entry.automatic.empty() ? fmt::format("{}", value) : std::string(entry.automatic);
      const std::string help = fmt::format("{} ({})", entry.help, by_default);
      if (entry.name == "max_age") {
        flag = command
                   .add_option_function<std::string>(
                       flag_of(entry.name),
                       [&value](const std::string& text) {
                         if constexpr (std::is_same_v<Value, double>) {
                           value = parse_age("--max-age", text);
                         }
                       },
                       "Forget observations older than this, by the table's time: seconds, or with "
                       "a unit, as 30d, 12h, 90min (0: however old)")
                   ->type_name("AGE");
      } else {
        flag = command.add_option(flag_of(entry.name), value, help);
        if constexpr (std::is_unsigned_v<Value>) flag->check(count_from(0));
      }
    }
    flags_.emplace(entry.name, flag->group(heading(entry)));
  });
  command
      .add_option("--preset", preset_, "paper: the published pseudo-code; other flags still count")
      ->check(CLI::IsMember({"paper"}))
      ->group(kOptions);
  std::vector<std::string> names_of_theta;
  each_fixed([&](std::string_view name, auto) { names_of_theta.emplace_back(name); });
  command
      .add_option("--fixed", fixed_, "Hyperparameters that training leaves alone: length_scale, …")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(names_of_theta))
      ->type_name("NAME[,NAME]")
      ->group(kOptions);

  each_hyperparameter(
      [&]<typename Value>(const OptionEntry& entry, Value Hyperparameters::*member) {
        CLI::Option* flag = nullptr;
        if constexpr (std::is_same_v<Value, Vector>) {
          flag = command
                     .add_option(flag_of(entry.name), lists_[std::string(entry.name)],
                                 std::string(entry.help))
                     ->delimiter(',')
                     ->allow_extra_args(false);
        } else if constexpr (std::is_same_v<Value, double>) {
          flag = command.add_option(flag_of(entry.name), theta_.*member,
                                    fmt::format("{} ({})", entry.help, theta_.*member));
        } else {
          return;  // the kernel is an option
        }
        flags_.emplace(entry.name, flag->group(kTheta));
      });

  // In no group: these may differ from run to run.
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    if constexpr (std::is_same_v<Value, int>) {
      if (!entry.may_change) return;
      command
          .add_option(flag_of(entry.name), threads, fmt::format("{} ({})", entry.help, of(asked_)))
          ->check(CLI::PositiveNumber);
    }
  });
  command
      .add_option("--factor-cache-limit", factor_cache_limit,
                  "Most local GPs that keep their factors in memory; 0: all (0)")
      ->check(CLI::NonNegativeNumber);
  // The earlier name, for one version.
  CLI::Option* const earlier = command.add_option("--awake-limit", factor_cache_limit, "");
  earlier->check(CLI::NonNegativeNumber)->group("");
  CLI::deprecate_option(earlier, "--factor-cache-limit");
}

bool ModelFlags::given(std::string_view name) const {
  const auto found = flags_.find(name);
  return found != flags_.end() && found->second->count() > 0;
}

std::optional<Hyperparameters> ModelFlags::given_theta() const {
  Hyperparameters theta = theta_;
  bool any = false;
  each_hyperparameter(
      [&]<typename Value>(const OptionEntry& entry, Value Hyperparameters::*member) {
        if (std::is_enum_v<Value> || !given(entry.name)) return;
        any = true;
        if constexpr (std::is_same_v<Value, Vector>) {
          const std::vector<double>& values = lists_.find(entry.name)->second;
          theta.*member = Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
        }
      });
  return any ? std::optional(std::move(theta)) : std::nullopt;
}

Options ModelFlags::options() const {
  Options options = paper() ? Options::paper() : Options{};
  if (usual_training && !paper()) options.training = *usual_training;
  each_option([&](const OptionEntry& entry, auto of) {
    if (given(entry.name)) of(options) = of(asked_);
  });
  options.threads = threads.value_or(options.threads);
  each_fixed([&](std::string_view name, auto member) {
    options.fixed.*member = std::find(fixed_.begin(), fixed_.end(), name) != fixed_.end();
  });
  options.hyperparameters = given_theta();
  return options;
}

void ModelFlags::check_agreement(const Options& options, const std::string& file) const {
  const Options paper_options = Options::paper();
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    if (given(entry.name)) {
      if constexpr (std::is_same_v<Value, bool>) {
        if (of(asked_) != of(options)) {
          refuse(switch_of(entry.name, of(kDefaults)), file);
        }
      } else {
        require_same(entry.name, of(asked_), of(options), file);
      }
    } else if (paper() && !entry.may_change && of(paper_options) != of(kDefaults) &&
               of(options) != of(paper_options)) {
      refuse("--preset paper", file);
    }
  });
  each_fixed([&](std::string_view name, auto member) {
    const bool asked = std::find(fixed_.begin(), fixed_.end(), name) != fixed_.end();
    if (asked && !(options.fixed.*member)) refuse(fmt::format("--fixed {}", name), file);
  });
  check_theta(options, file);
}

void ModelFlags::check_theta(const Options& options, const std::string& file) const {
  const std::optional<Hyperparameters> asked = given_theta();
  if (!asked) return;
  each_hyperparameter([&]<typename Value>(const OptionEntry& entry,
                                          Value Hyperparameters::*member) {
    if (std::is_enum_v<Value> || !given(entry.name)) return;
    if (!options.hyperparameters) refuse(flag_of(entry.name), file);
    const Value& present = (*options.hyperparameters).*member;
    if constexpr (std::is_same_v<Value, Vector>) {
      // One length scale stands for all.
      const Vector& values = (*asked).*member;
      const bool same = values.size() == 1 ? (present.array() == values(0)).all()
                                           : values.size() == present.size() && values == present;
      if (!same) {
        throw CommandError(
            kUsage, fmt::format("{} {}: the model in {} was made with {}, and keeps it",
                                flag_of(entry.name), text_of(values), file, text_of(present)));
      }
    } else {
      require_same(entry.name, (*asked).*member, present, file);
    }
  });
}

}  // namespace splitgp
