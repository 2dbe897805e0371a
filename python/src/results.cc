#include "results.h"

#include <nanobind/eigen/dense.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>

#include "arrays.h"
#include "core/options/option_table.h"
#include "splitgp/error.h"
#include "splitgp/options.h"

namespace splitgp::python {

namespace {

nb::object to_object(KernelFamily family) { return text(to_string(family)); }
nb::object to_object(double value) { return nb::float_(value); }
nb::object to_object(const Vector& values) { return array_of(values); }

}  // namespace

nb::dict to_dict(const Hyperparameters& theta) {
  nb::dict d;
  each_hyperparameter([&](const OptionEntry& entry, auto member) {
    d[text(entry.name)] = to_object(theta.*member);
  });
  return d;
}

Hyperparameters hyperparameters_from(const nb::dict& values) {
  Hyperparameters theta;
  for (const auto& [key, value] : values) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    bool found = false;
    std::string names;
    each_hyperparameter(
        [&]<typename Value>(const OptionEntry& entry, Value Hyperparameters::*member) {
          names.append(names.empty() ? "" : ", ").append(entry.name);
          if (entry.name != name) return;
          found = true;
          if constexpr (std::is_enum_v<Value>) {
            theta.*member = parse<Value>(name, nb::cast<std::string>(value));
          } else if constexpr (std::is_same_v<Value, Vector>) {
            theta.*member = nb::cast<Eigen::VectorXd>(value);
          } else {
            theta.*member = nb::cast<Value>(value);
          }
        });
    if (!found) throw InvalidArgument("hyperparameters has no \"" + name + "\"; it has " + names);
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
  d["degrees_of_freedom"] = array_of(explanation.degrees_of_freedom);
  d["local"] = local;
  return d;
}

nb::dict to_dict(const TrainResult& result) {
  const TrainRecord& how = result.record;
  nb::dict record;
  record["regime"] = how.regime;
  record["searched"] = how.searched;
  record["kernel_margin"] = how.kernel_margin;
  record["forward_without_trend"] = how.forward_without_trend;
  record["forward_with_trend"] = how.forward_with_trend;
  record["trend_won"] = how.trend_won;
  record["local_gps"] = how.local_gps;
  record["starts"] = how.starts;
  record["evaluations"] = how.evaluations;
  nb::dict d;
  d["adopted"] = result.adopted;
  d["failed"] = result.failed;
  d["surprised"] = result.surprised;
  d["hyperparameters"] = to_dict(result.theta);
  d["theta_version"] = result.theta_version;
  d["objective_before"] = result.objective_before;
  d["objective_after"] = result.objective_after;
  d["bounds_reached"] = nb::cast(result.bounds_reached);
  d["sequence"] = result.sequence;
  d["observations"] = result.observations;
  d["seconds"] = result.seconds;
  d["record"] = record;
  return d;
}

nb::dict to_dict(const LocalGpSummary& summary) {
  nb::dict d;
  d["local_gp"] = summary.local_gp;
  d["center"] = array_of(summary.center);
  d["owned"] = summary.owned;
  d["borrowed"] = summary.borrowed;
  d["theta_version"] = summary.theta_version;
  d["awake"] = summary.awake;
  d["jittered"] = summary.jittered;
  d["condition"] = summary.condition;
  d["memory_bytes"] = summary.memory_bytes;
  nb::list innovation;
  for (const InnovationStatistics& output : summary.innovation) innovation.append(to_dict(output));
  d["innovation"] = innovation;
  return d;
}

nb::dict to_dict(const InnovationStatistics& statistics) {
  nb::dict d;
  d["mean_square"] = statistics.mean_square;
  d["lower"] = statistics.lower;
  d["upper"] = statistics.upper;
  d["rows"] = statistics.rows;
  return d;
}

nb::dict to_dict(const ExpertShares& shares) {
  nb::dict d;
  d["last_error"] = shares.last_error;
  d["mean"] = shares.mean;
  d["last_value"] = shares.last_value;
  d["linear"] = shares.linear;
  return d;
}

nb::dict to_dict(const Alarm& alarm) {
  nb::dict d;
  d["sequence"] = alarm.sequence;
  d["change_point"] = alarm.change_point;
  d["output"] = alarm.output;
  d["kind"] = text(to_string(alarm.kind));
  d["size"] = alarm.size;
  d["size_in_noise"] = alarm.size_in_noise;
  d["rows"] = alarm.rows;
  d["whole_stream"] = alarm.whole_stream;
  d["local_gp"] = alarm.local_gp;
  d["local_gps"] = alarm.local_gps;
  d["lower"] = array_of(alarm.lower);
  d["upper"] = array_of(alarm.upper);
  d["forgotten"] = alarm.forgotten;
  return d;
}

nb::object to_object(const Alarm& alarm) {
  return nb::module_::import_("splitgp._results").attr("Alarm")(**to_dict(alarm));
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

nb::dict to_dict(const ColumnStatistics& statistics) {
  nb::dict d;
  d["mean"] = array_of(statistics.mean);
  d["spread"] = array_of(statistics.spread);
  return d;
}

}  // namespace splitgp::python
