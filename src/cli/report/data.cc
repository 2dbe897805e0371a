#include "cli/report/data.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "charts/column_map.h"
#include "charts/facts.h"
#include "cli/columns.h"
#include "cli/recipe_of.h"
#include "core/model/model_state.h"

namespace splitgp {

using Eigen::Index;
using json = nlohmann::ordered_json;

namespace {

json chart_trainings(const SplittingGp& model, const std::vector<table::Feature>& columns) {
  json result = json::array();
  for (const TrainResult& training : model.training_history()) {
    const Hyperparameters& theta = training.theta;
    std::vector<double> length_scale;
    for (const table::Feature& column : columns) {
      length_scale.push_back(theta.length_scale(static_cast<Index>(column.first)));
    }
    result.push_back(
        {{"observation", training.sequence},
         {"adopted", training.adopted},
         {"kernel", to_string(theta.kernel)},
         {"length_scale", length_scale},
         {"noise_share", theta.noise_variance / (theta.signal_variance + theta.noise_variance)}});
  }
  return result;
}

json chart_local_gps(const SplittingGp& model) {
  json owned = json::array();
  json borrowed = json::array();
  for (const LocalGpSummary& local : model.local_gps()) {
    owned.push_back(local.owned);
    borrowed.push_back(local.borrowed);
  }
  return {{"owned", owned}, {"borrowed", borrowed}};
}

// The depth of a split is the number of splits on the way to it: children are one deeper.
json chart_splits(const SplittingGp& model) {
  std::vector<int> depth(1, 0);
  json observation = json::array();
  json depths = json::array();
  json larger_share = json::array();
  for (const SplitRecord& split : model.split_history()) {
    const auto parent = static_cast<std::size_t>(split.parent);
    const auto child = static_cast<std::size_t>(split.child);
    depth.resize(std::max({depth.size(), parent + 1, child + 1}), 0);
    observation.push_back(split.sequence + 1);
    depths.push_back(depth[parent]);
    const auto larger = static_cast<double>(std::max(split.parent_owned, split.child_owned));
    larger_share.push_back(larger / static_cast<double>(split.parent_owned + split.child_owned));
    depth[child] = ++depth[parent];
  }
  return {{"observation", observation}, {"depth", depths}, {"larger_share", larger_share}};
}

}  // namespace

json report_data(const LoadedModel& loaded, const std::string& name,
                 std::optional<InputPair> pair) {
  const SplittingGp& model = loaded.model;
  const table::Recipe recipe = recipe_of(loaded);
  const std::vector<table::Feature>& columns = recipe.features();
  json result{{"version", SPLITGP_VERSION},
              {"name", name},
              {"observations", model.n_observations()},
              {"seen", model.n_seen()},
              {"kernel", to_string(model.hyperparameters().kernel)},
              {"split_limit", model.options().split_limit},
              {"inputs", chart_inputs(model, columns)},
              {"outputs", chart_outputs(model, columns_of(loaded).outputs)},
              {"stream", stream_json(loaded)},
              {"trainings", chart_trainings(model, columns)},
              {"innovation", chart_innovation(model)},
              {"alarms", chart_alarms(model.alarms())},
              {"n_alarms", model.n_alarms()},
              {"local_gps", chart_local_gps(model)},
              {"splits", chart_splits(model)}};
  const MapSource source = map_source(model, columns);
  const MapChoice choice{.first = pair};
  result["partition"] = recipe.is_plain() ? partition_json(source, choice)
                                          : column_partition_json(source, recipe, choice);
  return result;
}

}  // namespace splitgp
