// The model as JSON.
#include <nlohmann/json.hpp>

#include "cli/inspect/inspect.h"
#include "core/model_state.h"

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

std::vector<double> as_vector(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

json options_json(const Options& options) {
  json fixed = json::array();
  if (options.fixed.length_scale) fixed.push_back("length_scale");
  if (options.fixed.signal_variance) fixed.push_back("signal_variance");
  if (options.fixed.noise_variance) fixed.push_back("noise_variance");
  if (options.fixed.shape) fixed.push_back("shape");
  if (options.fixed.mean) fixed.push_back("mean");
  if (options.fixed.output_scale) fixed.push_back("output_scale");
  return {{"split_limit", options.split_limit},
          {"kernel", to_string(options.kernel)},
          {"aggregation", to_string(options.aggregation)},
          {"neighbors", options.neighbors},
          {"taper", options.taper},
          {"inherit", options.inherit},
          {"principal_direction", to_string(options.principal_direction)},
          {"split_space", to_string(options.split_space)},
          {"training", to_string(options.training)},
          {"training_observations", options.training_observations},
          {"fixed", fixed},
          {"seed", options.seed}};
}

json inputs_json(const SplittingGp& model, const std::vector<std::string>& names) {
  const Eigen::VectorXd share = relevance(model);
  const StreamStatistics& statistics = model.state().input_statistics;
  const Eigen::VectorXd spread = statistics.spread();
  json result = json::array();
  for (Eigen::Index k = 0; k < model.n_inputs(); ++k) {
    result.push_back({{"name", names[static_cast<std::size_t>(k)]},
                      {"length_scale", model.hyperparameters().length_scale(k)},
                      {"mean", statistics.mean()(k)},
                      {"spread", spread(k)},
                      {"relevance", share(k)}});
  }
  return result;
}

json outputs_json(const SplittingGp& model, const std::vector<std::string>& names) {
  const Hyperparameters& theta = model.hyperparameters();
  const Eigen::VectorXd spread = model.state().output_statistics.spread();
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

json local_gps_json(const SplittingGp& model) {
  json result = json::array();
  for (const LocalGpSummary& local : model.local_gps()) {
    result.push_back({{"local_gp", local.local_gp},
                      {"owned", local.owned},
                      {"inherited", local.inherited},
                      {"center", as_vector(local.center)},
                      {"theta_version", local.theta_version},
                      {"condition", local.condition},
                      {"jittered", local.jittered},
                      {"memory_bytes", local.memory_bytes}});
  }
  return result;
}

json splits_json(const SplittingGp& model) {
  json result = json::array();
  for (const SplitRecord& split : model.split_history()) {
    result.push_back({{"sequence", split.sequence},
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
    result.push_back({{"sequence", training.sequence},
                      {"observations", training.observations},
                      {"local_gps", training.local_gps},
                      {"adopted", training.adopted},
                      {"searched", training.searched},
                      {"objective_before", training.objective_before},
                      {"objective_after", training.objective_after},
                      {"kernel", to_string(training.theta.kernel)},
                      {"kernel_margin", training.kernel_margin},
                      {"length_scale", as_vector(training.theta.length_scale)},
                      {"signal_variance", training.theta.signal_variance},
                      {"noise_variance", training.theta.noise_variance},
                      {"bounds_reached", training.bounds_reached},
                      {"evaluations", training.evaluations},
                      {"seconds", training.seconds}});
  }
  return result;
}

}  // namespace

Eigen::VectorXd relevance(const SplittingGp& model) {
  const Eigen::VectorXd spread = model.state().input_statistics.spread();
  const Eigen::VectorXd variation = spread.cwiseQuotient(model.hyperparameters().length_scale);
  const double sum = variation.sum();
  return sum > 0.0 ? Eigen::VectorXd(variation / sum) : Eigen::VectorXd(variation);
}

json describe(ModelFile& file) {
  SplittingGp& model = file.model();
  const ObservationColumns columns = columns_of(file);
  model.wake();
  const Hyperparameters& theta = model.hyperparameters();
  json result{{"observations", model.n_observations()},
              {"options", options_json(model.options())},
              {"theta",
               {{"version", theta.version},
                {"kernel", to_string(theta.kernel)},
                {"signal_variance", theta.signal_variance},
                {"noise_variance", theta.noise_variance},
                {"shape", theta.shape}}},
              {"inputs", inputs_json(model, columns.inputs)},
              {"outputs", outputs_json(model, columns.outputs)},
              {"local_gps", local_gps_json(model)},
              {"splits", splits_json(model)},
              {"trainings", trainings_json(model)},
              {"memory_bytes", model.memory_bytes()}};
  if (const std::optional<std::string> note = file.note("stream")) {
    result["stream"] = json::parse(*note);
  }
  return result;
}

}  // namespace splitgp
