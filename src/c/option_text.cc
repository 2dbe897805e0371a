#include "c/option_text.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <type_traits>
#include <vector>

#include "core/options/option_table.h"
#include "splitgp/error.h"

namespace splitgp::c {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, const std::string& must) {
  throw InvalidArgument(std::string(name) + " is \"" + std::string(value) + "\"; it must be " +
                        must);
}

template <typename Number>
Number parse_number(std::string_view name, std::string_view text, const std::string& must) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) refuse(name, text, must);
  return number;
}

template <typename Value>
Value parse_value(const OptionEntry& entry, std::string_view text) {
  if constexpr (std::is_enum_v<Value>) {
    return parse<Value>(entry.name, text);
  } else if constexpr (std::is_same_v<Value, bool>) {
    if (text != "true" && text != "false") refuse(entry.name, text, "true or false");
    return text == "true";
  } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
    std::vector<int> values;
    while (!text.empty()) {
      const std::string_view one = text.substr(0, text.find(','));
      text.remove_prefix(std::min(text.size(), one.size() + 1));
      values.push_back(parse_number<int>(entry.name, one, "a list of integers"));
    }
    return values;
  } else if constexpr (std::is_same_v<Value, double>) {
    return parse_number<double>(entry.name, text, "a number");
  } else {
    static_assert(std::is_integral_v<Value>);
    if constexpr (std::is_same_v<Value, int>) {
      if (!entry.automatic.empty() && text == "auto") return kAutomatic;
    }
    return parse_number<Value>(entry.name, text,
                               entry.automatic.empty() ? "an integer" : "an integer or auto");
  }
}

void set_fixed(FixedHyperparameters& fixed, std::string_view list) {
  fixed = {};
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    bool found = false;
    std::string all;
    each_fixed([&](std::string_view known, auto member) {
      all.append(all.empty() ? "" : ", ").append(known);
      if (known != name) return;
      fixed.*member = true;
      found = true;
    });
    if (!found) refuse("fixed", name, "a list of " + all);
  }
}

[[noreturn]] void unknown(const char* what, std::string_view name, const std::string& names) {
  throw InvalidArgument("there is no " + std::string(what) + " \"" + std::string(name) +
                        "\"; there are " + names);
}

}  // namespace

void set_option(Options& options, std::string_view name, std::string_view value) {
  if (name == "preset") {
    if (value != "paper") refuse(name, value, "paper");
    Options paper = Options::paper();
    paper.hyperparameters = options.hyperparameters;
    options = paper;
    return;
  }
  if (name == "fixed") return set_fixed(options.fixed, value);
  bool found = false;
  std::string names = "preset, fixed";
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    names.append(", ").append(entry.name);
    if (entry.name != name) return;
    of(options) = parse_value<Value>(entry, value);
    found = true;
  });
  if (!found) unknown("option", name, names);
}

void set_hyperparameter(Hyperparameters& theta, std::string_view name,
                        std::span<const double> values) {
  bool found = false;
  std::string names;
  each_hyperparameter(
      [&]<typename Value>(const OptionEntry& entry, Value Hyperparameters::*member) {
        if constexpr (!std::is_enum_v<Value>) {
          names.append(names.empty() ? "" : ", ").append(entry.name);
          if (entry.name != name) return;
          found = true;
          if constexpr (std::is_same_v<Value, double>) {
            if (values.size() != 1) {
              throw InvalidArgument(std::string(name) + " has " + std::to_string(values.size()) +
                                    " values; it must have one");
            }
            theta.*member = values.front();
          } else {
            theta.*member = Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
          }
        }
      });
  if (!found) unknown("hyperparameter", name, names);
}

}  // namespace splitgp::c
