// The model as JSON.
#include <nlohmann/json.hpp>

#include "charts/relevance.h"
#include "cli/alarm_json.h"
#include "cli/inspect/inspect.h"
#include "cli/recipe_of.h"
#include "core/options/option_table.h"
#include "table/names.h"

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

std::vector<double> as_vector(const Vector& values) { return {values.begin(), values.end()}; }

json options_json(const Options& options) {
  json result;
  each_option([&](const OptionEntry& entry, auto of) {
    using Value = OptionValue<decltype(of)>;
    if constexpr (std::is_enum_v<Value>) {
      result[std::string(entry.name)] = to_string(of(options));
    } else {
      result[std::string(entry.name)] = of(options);
    }
  });
  json& fixed = result["fixed"] = json::array();
  each_fixed([&](std::string_view name, auto member) {
    if (options.fixed.*member) fixed.push_back(name);
  });
  return result;
}

json inputs_json(const SplittingGp& model, const std::vector<std::string>& names) {
  const Eigen::VectorXd share = relevance(model);
  const ColumnStatistics statistics = model.input_statistics();
  json result = json::array();
  for (Eigen::Index k = 0; k < model.n_inputs(); ++k) {
    result.push_back({{"name", names[static_cast<std::size_t>(k)]},
                      {"length_scale", model.hyperparameters().length_scale(k)},
                      {"mean", statistics.mean(k)},
                      {"spread", statistics.spread(k)},
                      {"relevance", share(k)}});
  }
  return result;
}

// The table's own words: one entry for each column, however many inputs it became.
json columns_json(const SplittingGp& model, const table::Recipe& recipe) {
  const std::vector<table::Feature>& columns = recipe.features();
  const Eigen::VectorXd share = relevance(model, columns);
  const Vector spread = model.input_statistics().spread;
  json result = json::array();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const table::Feature& column = columns[k];
    const auto first = static_cast<Eigen::Index>(column.first);
    const bool one = column.count == 1;
    result.push_back({{"name", column.name},
                      {"kind", table::name_of(column.use)},
                      {"relevance", share(static_cast<Eigen::Index>(k))},
                      {"first_input", column.first},
                      {"inputs", column.count},
                      // Of a category, whose inputs share it, or of a single input.
                      {"length_scale", one || column.use == table::Use::category
                                           ? json(model.hyperparameters().length_scale(first))
                                           : json(nullptr)},
                      {"spread", one ? json(spread(first)) : json(nullptr)}});
  }
  return result;
}

json outputs_json(const SplittingGp& model, const std::vector<std::string>& names) {
  const Hyperparameters& theta = model.hyperparameters();
  const Vector spread = model.output_statistics().spread;
  json result = json::array();
  for (Eigen::Index o = 0; o < model.n_outputs(); ++o) {
    const double scale = theta.output_scale(o);
    result.push_back({{"name", names[static_cast<std::size_t>(o)]},
                      {"mean", theta.mean(o)},
                      {"output_scale", scale},
                      {"signal_standard_deviation", scale * std::sqrt(theta.signal_variance)},
                      {"noise_standard_deviation", scale * std::sqrt(theta.noise_variance)},
                      {"spread", spread(o)}});
  }
  return result;
}

json innovation_json(const std::vector<InnovationStatistics>& outputs) {
  json result = json::array();
  for (const InnovationStatistics& output : outputs) {
    result.push_back({{"mean_square", output.mean_square},
                      {"lower", output.lower},
                      {"upper", output.upper},
                      {"rows", output.rows}});
  }
  return result;
}

json experts_json(const SplittingGp& model) {
  json result = json::array();
  for (const ExpertShares& output : model.expert_shares()) {
    result.push_back({{"last_error", output.last_error},
                      {"mean", output.mean},
                      {"last_value", output.last_value},
                      {"linear", output.linear}});
  }
  return result;
}

json alarms_json(const SplittingGp& model, const ObservationColumns& columns) {
  json result = json::array();
  for (const Alarm& alarm : model.alarms()) {
    json& entry = result.emplace_back(alarm_json(alarm, columns));
    entry["lower"] = as_vector(alarm.lower);
    entry["upper"] = as_vector(alarm.upper);
  }
  return result;
}

json local_gps_json(const SplittingGp& model) {
  json result = json::array();
  for (const LocalGpSummary& local : model.local_gps()) {
    result.push_back({{"local_gp", local.local_gp},
                      {"owned", local.owned},
                      {"borrowed", local.borrowed},
                      {"center", as_vector(local.center)},
                      {"theta_version", local.theta_version},
                      {"condition", local.condition},
                      {"jittered", local.jittered},
                      {"innovation", innovation_json(local.innovation)},
                      {"memory_bytes", local.memory_bytes}});
  }
  return result;
}

json splits_json(const SplittingGp& model) {
  json result = json::array();
  for (const SplitRecord& split : model.split_history()) {
    result.push_back({{"observation", split.sequence + 1},
                      {"parent", split.parent},
                      {"child", split.child},
                      {"parent_owned", split.parent_owned},
                      {"child_owned", split.child_owned}});
  }
  return result;
}

json trainings_json(const SplittingGp& model) {
  json result = json::array();
  for (const TrainResult& training : model.training_history()) {
    result.push_back({{"observation", training.sequence},
                      {"observations", training.observations},
                      {"local_gps", training.record.local_gps},
                      {"adopted", training.adopted},
                      {"searched", training.record.searched},
                      {"surprised", training.surprised},
                      {"regime", training.record.regime},
                      {"objective_before", training.objective_before},
                      {"objective_after", training.objective_after},
                      {"kernel", to_string(training.theta.kernel)},
                      {"kernel_margin", training.record.kernel_margin},
                      {"length_scale", as_vector(training.theta.length_scale)},
                      {"signal_variance", training.theta.signal_variance},
                      {"noise_variance", training.theta.noise_variance},
                      {"bounds_reached", training.bounds_reached},
                      {"evaluations", training.record.evaluations},
                      {"seconds", training.seconds}});
  }
  return result;
}

}  // namespace

json describe(LoadedModel& loaded) {
  SplittingGp& model = loaded.model;
  const ObservationColumns columns = columns_of(loaded);
  model.wake();
  const Hyperparameters& theta = model.hyperparameters();
  json result{{"observations", model.n_observations()},
              {"seen", model.n_seen()},
              {"options", options_json(model.options())},
              {"theta",
               {{"version", model.theta_version()},
                {"kernel", to_string(theta.kernel)},
                {"signal_variance", theta.signal_variance},
                {"noise_variance", theta.noise_variance},
                {"shape", theta.shape}}},
              {"columns", columns_json(model, recipe_of(loaded))},
              {"inputs", inputs_json(model, columns.inputs)},
              {"outputs", outputs_json(model, columns.outputs)},
              {"local_gps", local_gps_json(model)},
              {"splits", splits_json(model)},
              {"trainings", trainings_json(model)},
              {"innovation", innovation_json(model.innovation_statistics())},
              {"alarms", alarms_json(model, columns)},
              {"experts", experts_json(model)},
              {"n_alarms", model.n_alarms()},
              {"outliers_rejected", model.n_rejected()},
              {"memory_bytes", model.memory_bytes()}};
  if (const auto note = loaded.notes.find("stream"); note != loaded.notes.end()) {
    result["stream"] = json::parse(note->second);
  }
  return result;
}

}  // namespace splitgp
