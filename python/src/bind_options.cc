#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.h"
#include "core/options/option_table.h"
#include "model.h"
#include "results.h"
#include "splitgp/error.h"

namespace splitgp::python {

namespace {

template <typename Value>
nb::object to_object(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return text(to_string(value));
  } else if constexpr (std::is_same_v<Value, Vector>) {
    return array_of(value);
  } else {
    return nb::cast(value);
  }
}

// One entry of the table, with what follows from the member's type.
template <typename Value>
nb::dict describe(const OptionEntry& entry, const Value& by_default) {
  nb::dict d;
  d["name"] = text(entry.name);
  d["help"] = text(entry.help);
  d["group"] = text(entry.group);
  d["default"] = to_object(by_default);
  d["automatic"] = text(entry.automatic);
  if (!entry.automatic.empty()) d["default"] = nb::none();
  nb::list choices;
  if constexpr (std::is_same_v<Value, bool>) {
    d["type"] = "switch";
    d["without"] = text(entry.without);
  } else if constexpr (std::is_enum_v<Value>) {
    d["type"] = "name";
    for (const NamedValue<Value>& value : named_values<Value>()) {
      choices.append(nb::make_tuple(text(value.name), text(value.help)));
    }
  } else if constexpr (std::is_integral_v<Value>) {
    d["type"] = "integer";
    d["least"] = entry.least;
    d["largest"] = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
    d["zero_means"] = text(entry.zero_means);
  } else if constexpr (std::is_same_v<Value, std::vector<int>>) {
    d["type"] = "integers";
    d["least"] = entry.least;
    d["none"] = text(entry.none);
    d["default"] = nb::none();
  } else {
    d["type"] = std::is_same_v<Value, Vector> ? "numbers" : "number";
  }
  d["choices"] = choices;
  d["may_change"] = entry.may_change;
  return d;
}

nb::list option_table() {
  nb::list table;
  each_option([&, defaults = Options{}](const OptionEntry& entry, auto of) {
    table.append(describe(entry, of(defaults)));
  });
  return table;
}

nb::list hyperparameter_table() {
  nb::list table;
  each_hyperparameter([&, defaults = Hyperparameters{}](const OptionEntry& entry, auto member) {
    table.append(describe(entry, defaults.*member));
  });
  return table;
}

std::vector<std::string> fixed_names(const FixedHyperparameters& fixed) {
  std::vector<std::string> names;
  each_fixed([&](std::string_view name, auto member) {
    if (fixed.*member) names.emplace_back(name);
  });
  return names;
}

std::vector<std::string> fixable_names() {
  FixedHyperparameters all;
  each_fixed([&](std::string_view, auto member) { all.*member = true; });
  return fixed_names(all);
}

FixedHyperparameters fixed_from(const std::vector<std::string>& names) {
  FixedHyperparameters fixed;
  for (const std::string& name : names) {
    bool found = false;
    std::string all;
    each_fixed([&](std::string_view known, auto member) {
      all.append(all.empty() ? "" : ", ").append(known);
      if (known != name) return;
      fixed.*member = true;
      found = true;
    });
    if (!found) throw InvalidArgument("fixed names \"" + name + "\"; it must be one of " + all);
  }
  return fixed;
}

}  // namespace

void bind_options(nb::module_& m) {
  nb::class_<Options> options(m, "Options");
  options.def(nb::init<>()).def_static("paper", &Options::paper);
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    const char* name = entry.name.data();  // a literal, so it is null-terminated and lives forever
    if constexpr (std::is_enum_v<Value>) {
      options.def_prop_rw(
          name, [of](const Options& self) { return to_object(of(self)); },
          [name, of](Options& self, const std::string& value) {
            of(self) = parse<Value>(name, value);
          });
    } else if constexpr (std::is_same_v<Value, int>) {
      if (entry.automatic.empty()) {
        options.def_prop_rw(
            name, [of](const Options& self) { return of(self); },
            [of](Options& self, const Value& value) { of(self) = value; });
        return;
      }
      options.def_prop_rw(
          name,
          [of](const Options& self) -> std::optional<int> {
            if (of(self) == kAutomatic) return std::nullopt;
            return of(self);
          },
          [of](Options& self, std::optional<int> value) { of(self) = value.value_or(kAutomatic); });
    } else {
      options.def_prop_rw(
          name, [of](const Options& self) { return of(self); },
          [of](Options& self, const Value& value) { of(self) = value; });
    }
  });
  options
      .def_prop_rw(
          "fixed", [](const Options& self) { return fixed_names(self.fixed); },
          [](Options& self, const std::vector<std::string>& names) {
            self.fixed = fixed_from(names);
          })
      .def_prop_rw(
          "hyperparameters",
          [](const Options& self) -> std::optional<nb::dict> {
            if (!self.hyperparameters) return std::nullopt;
            return to_dict(*self.hyperparameters);
          },
          [](Options& self, const nb::dict& values) {
            self.hyperparameters = hyperparameters_from(values);
          });
  m.def("option_table", &option_table);
  m.def("hyperparameter_table", &hyperparameter_table);
  m.def("fixable_names", &fixable_names);
}

}  // namespace splitgp::python
