#include "results.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>

#include "arrays.h"
#include "splitgp/error.h"
#include "splitgp/options.h"

namespace splitgp::python {

namespace {

nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

}  // namespace

nb::dict to_dict(const Hyperparameters& theta) {
  nb::dict d;
  d["kernel"] = text(to_string(theta.kernel));
  d["length_scale"] = array_of(theta.length_scale);
  d["signal_variance"] = theta.signal_variance;
  d["noise_variance"] = theta.noise_variance;
  d["shape"] = theta.shape;
  d["mean"] = array_of(theta.mean);
  d["output_scale"] = array_of(theta.output_scale);
  d["version"] = theta.version;
  return d;
}

Hyperparameters hyperparameters_from(const nb::dict& values) {
  Hyperparameters theta;
  for (const auto& [key, value] : values) {
    const std::string name = nb::cast<std::string>(key);
    if (name == "kernel") {
      theta.kernel = parse<KernelFamily>(name, nb::cast<std::string>(value));
    } else if (name == "length_scale") {
      theta.length_scale = nb::cast<Eigen::VectorXd>(value);
    } else if (name == "signal_variance") {
      theta.signal_variance = nb::cast<double>(value);
    } else if (name == "noise_variance") {
      theta.noise_variance = nb::cast<double>(value);
    } else if (name == "shape") {
      theta.shape = nb::cast<double>(value);
    } else if (name == "mean") {
      theta.mean = nb::cast<Eigen::VectorXd>(value);
    } else if (name == "output_scale") {
      theta.output_scale = nb::cast<Eigen::VectorXd>(value);
    } else if (name != "version") {  // the model sets its own
      throw InvalidArgument("hyperparameters has no \"" + name +
                            "\"; it has kernel, length_scale, signal_variance, noise_variance, "
                            "shape, mean and output_scale");
    }
  }
  return theta;
}

nb::dict to_dict(const Explanation& explanation) {
  nb::list local;
  for (const LocalPrediction& one : explanation.local) {
    nb::dict d;
    d["local_gp"] = one.local_gp;
    d["log_similarity"] = one.log_similarity;
    d["weight"] = one.weight;
    d["mean"] = array_of(one.mean);
    d["variance"] = array_of(one.variance);
    local.append(d);
  }
  nb::dict d;
  d["mean"] = array_of(explanation.mean);
  d["variance"] = array_of(explanation.variance);
  d["noise_variance"] = array_of(explanation.noise_variance);
  d["local"] = local;
  return d;
}

nb::dict to_dict(const TrainResult& result) {
  nb::dict d;
  d["adopted"] = result.adopted;
  d["hyperparameters"] = to_dict(result.theta);
  d["objective_before"] = result.objective_before;
  d["objective_after"] = result.objective_after;
  d["searched"] = result.searched;
  d["kernel_margin"] = result.kernel_margin;
  d["bounds_reached"] = nb::cast(result.bounds_reached);
  d["sequence"] = result.sequence;
  d["observations"] = result.observations;
  d["local_gps"] = result.local_gps;
  d["starts"] = result.starts;
  d["evaluations"] = result.evaluations;
  d["seconds"] = result.seconds;
  return d;
}

nb::dict to_dict(const LocalGpSummary& summary) {
  nb::dict d;
  d["local_gp"] = summary.local_gp;
  d["center"] = array_of(summary.center);
  d["owned"] = summary.owned;
  d["inherited"] = summary.inherited;
  d["theta_version"] = summary.theta_version;
  d["jittered"] = summary.jittered;
  d["condition"] = summary.condition;
  d["memory_bytes"] = summary.memory_bytes;
  return d;
}

nb::dict to_dict(const SplitRecord& record) {
  nb::dict d;
  d["sequence"] = record.sequence;
  d["parent"] = record.parent;
  d["child"] = record.child;
  d["parent_owned"] = record.parent_owned;
  d["child_owned"] = record.child_owned;
  return d;
}

}  // namespace splitgp::python
