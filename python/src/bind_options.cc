#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arrays.h"
#include "model.h"
#include "results.h"
#include "splitgp/error.h"
#include "splitgp/options.h"

namespace splitgp::python {

namespace {

template <typename Enum>
auto get(Enum Options::*member) {
  return [member](const Options& options) { return std::string(to_string(options.*member)); };
}

template <typename Enum>
auto set(const char* field, Enum Options::*member) {
  return [field, member](Options& options, const std::string& text) {
    options.*member = parse<Enum>(field, text);
  };
}

struct FixedName {
  const char* name;
  bool FixedHyperparameters::*member;
};
constexpr FixedName kFixedNames[] = {
    {"length_scale", &FixedHyperparameters::length_scale},
    {"signal_variance", &FixedHyperparameters::signal_variance},
    {"noise_variance", &FixedHyperparameters::noise_variance},
    {"shape", &FixedHyperparameters::shape},
    {"mean", &FixedHyperparameters::mean},
    {"output_scale", &FixedHyperparameters::output_scale},
};

std::vector<std::string> fixed(const Options& options) {
  std::vector<std::string> names;
  for (const FixedName& known : kFixedNames) {
    if (options.fixed.*known.member) names.emplace_back(known.name);
  }
  return names;
}

void set_fixed(Options& options, const std::vector<std::string>& names) {
  options.fixed = {};
  for (const std::string& name : names) {
    bool found = false;
    for (const FixedName& known : kFixedNames) {
      if (name != known.name) continue;
      options.fixed.*known.member = true;
      found = true;
    }
    if (!found) {
      throw InvalidArgument("fixed names \"" + name +
                            "\"; it may name length_scale, signal_variance, noise_variance, shape, "
                            "mean and output_scale");
    }
  }
}

}  // namespace

void bind_options(nb::module_& m) {
  nb::class_<Options>(m, "Options")
      .def(nb::init<>())
      .def_static("paper", &Options::paper)
      .def_rw("split_limit", &Options::split_limit)
      .def_prop_rw("kernel", get(&Options::kernel), set("kernel", &Options::kernel))
      .def_prop_rw("aggregation", get(&Options::aggregation),
                   set("aggregation", &Options::aggregation))
      .def_rw("neighbors", &Options::neighbors)
      .def_rw("taper", &Options::taper)
      .def_rw("inherit", &Options::inherit)
      .def_prop_rw("principal_direction", get(&Options::principal_direction),
                   set("principal_direction", &Options::principal_direction))
      .def_prop_rw("split_space", get(&Options::split_space),
                   set("split_space", &Options::split_space))
      .def_prop_rw("training", get(&Options::training), set("training", &Options::training))
      .def_rw("training_observations", &Options::training_observations)
      .def_prop_rw("fixed", &fixed, &set_fixed)
      .def_rw("n_threads", &Options::threads)
      .def_rw("seed", &Options::seed)
      .def_prop_rw(
          "hyperparameters",
          [](const Options& options) { return to_dict(options.hyperparameters); },
          [](Options& options, const nb::dict& values) {
            options.hyperparameters = hyperparameters_from(values);
          });
}

}  // namespace splitgp::python
