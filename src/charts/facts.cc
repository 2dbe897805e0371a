#include "charts/facts.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "charts/relevance.h"
#include "core/model/model_state.h"

namespace splitgp {

using Eigen::Index;
using json = nlohmann::ordered_json;

namespace {

constexpr std::array<const char*, 6> kAxes{"number", "number", "number", "category", "time", ""};

}  // namespace

json chart_inputs(const SplittingGp& model, const std::vector<table::Feature>& columns) {
  const Eigen::VectorXd share = relevance(model, columns);
  const Eigen::VectorXd spread = model.input_statistics().spread;
  json result = json::array();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto first = static_cast<Index>(columns[k].first);
    result.push_back({{"name", columns[k].name},
                      {"axis", kAxes[static_cast<std::size_t>(columns[k].use)]},
                      {"relevance", share(static_cast<Index>(k))},
                      {"length_scale", model.hyperparameters().length_scale(first)},
                      {"spread", spread(first)}});
  }
  return result;
}

json chart_outputs(const SplittingGp& model, const std::vector<std::string>& names) {
  const Hyperparameters& theta = model.hyperparameters();
  json result = json::array();
  for (Index o = 0; o < model.n_outputs(); ++o) {
    result.push_back({{"name", names[static_cast<std::size_t>(o)]},
                      {"noise_sd", theta.output_scale(o) * std::sqrt(theta.noise_variance)},
                      {"signal_sd", theta.output_scale(o) * std::sqrt(theta.signal_variance)}});
  }
  return result;
}

json chart_innovation(const SplittingGp& model) {
  json result = json::array();
  for (const InnovationStatistics& output : model.innovation_statistics()) {
    result.push_back(
        {{"mean_square", output.mean_square}, {"lower", output.lower}, {"upper", output.upper}});
  }
  return result;
}

json chart_alarms(const std::vector<Alarm>& alarms) {
  json result = json::array();
  for (const Alarm& alarm : alarms) {
    result.push_back({{"sequence", alarm.sequence},
                      {"change_point", alarm.change_point},
                      {"output", alarm.output},
                      {"kind", to_string(alarm.kind)},
                      {"size_in_noise", alarm.size_in_noise},
                      {"local_gps", alarm.local_gps}});
  }
  return result;
}

}  // namespace splitgp
