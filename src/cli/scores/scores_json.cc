// Scores as JSON in a model file's notes; docs/command.md describes the fields.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "cli/scores/scores.h"

namespace splitgp {

namespace {

nlohmann::json to_json(const std::vector<OutputScore>& scores) {
  nlohmann::json result = nlohmann::json::array();
  for (const OutputScore& score : scores) {
    result.push_back({{"rows", score.rows},
                      {"squared_error", score.squared_error},
                      {"interval_rows", score.interval_rows},
                      {"nlpd", score.nlpd},
                      {"covered", score.covered}});
  }
  return result;
}

// JSON has no infinity and no NaN: they are written as null.
double number_of(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

std::vector<OutputScore> scores_of(const nlohmann::json& array, std::size_t outputs) {
  std::vector<OutputScore> result;
  for (const nlohmann::json& item : array) {
    result.push_back({item.at("rows"), number_of(item.at("squared_error")),
                      item.at("interval_rows"), number_of(item.at("nlpd")), item.at("covered")});
  }
  if (result.size() != outputs)
    throw nlohmann::json::other_error::create(501, "wrong length", nullptr);
  return result;
}

Eigen::VectorXd vector_of(const nlohmann::json& array) {
  const std::vector<double> values = array;
  return Eigen::Map<const Eigen::VectorXd>(values.data(), std::ssize(values));
}

// Before format 2 all intervals were those of a normal distribution, and not stored.
SampledRow sampled_row(const nlohmann::json& item) {
  SampledRow row{
      item.at("row"), item.at("observed"), item.at("mean"), item.at("standard_deviation"), {}, {}};
  if (item.contains("level")) {
    row.half_width = item.at("half_width").get<std::vector<double>>();
    row.level = item.at("level").get<std::vector<double>>();
    return row;
  }
  for (std::size_t o = 0; o < row.mean.size(); ++o) {
    const double sd = row.standard_deviation.at(o);
    row.half_width.push_back(1.959963984540054 * sd);
    row.level.push_back(
        std::erf(std::abs(row.observed.at(o) - row.mean[o]) / sd / std::numbers::sqrt2));
  }
  return row;
}

nlohmann::json window_json(const ScoreWindow& window) {
  return {{"last_row", window.last_row},
          {"local_gps", window.local_gps},
          {"outputs", to_json(window.outputs)}};
}

}  // namespace

nlohmann::json Scores::totals_json() const {
  nlohmann::json recent = nlohmann::json::array();
  for (const std::vector<OutputScore>& part : recent_) recent.push_back(to_json(part));
  return {
      {"rows", rows_},
      {"outputs", to_json(totals_)},
      {"observed_mean", std::vector<double>(observed_mean_.begin(), observed_mean_.end())},
      {"observed_squares", std::vector<double>(observed_squares_.begin(), observed_squares_.end())},
      {"recent", recent},
      {"open_window", window_json(open_window_)}};
}

nlohmann::json Scores::windows_json() const {
  nlohmann::json windows = nlohmann::json::array();
  for (const ScoreWindow& window : windows_) windows.push_back(window_json(window));
  return {{"width", window_width_}, {"windows", windows}};
}

nlohmann::json Scores::sample_json() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const SampledRow& row : sample_) {
    rows.push_back({{"row", row.row},
                    {"observed", row.observed},
                    {"mean", row.mean},
                    {"standard_deviation", row.standard_deviation},
                    {"half_width", row.half_width},
                    {"level", row.level}});
  }
  return rows;
}

void Scores::load(const nlohmann::json& totals, const nlohmann::json& windows,
                  const nlohmann::json& sample) {
  Scores loaded(n_outputs_);
  const auto outputs = static_cast<std::size_t>(n_outputs_);
  const auto window_of = [outputs](const nlohmann::json& item) {
    return ScoreWindow{item.at("last_row"), item.at("local_gps"),
                       scores_of(item.at("outputs"), outputs)};
  };
  loaded.rows_ = totals.at("rows");
  loaded.totals_ = scores_of(totals.at("outputs"), outputs);
  loaded.observed_mean_ = vector_of(totals.at("observed_mean"));
  loaded.observed_squares_ = vector_of(totals.at("observed_squares"));
  for (const nlohmann::json& part : totals.at("recent"))
    loaded.recent_.push_back(scores_of(part, outputs));
  loaded.open_window_ = window_of(totals.at("open_window"));
  loaded.window_width_ = windows.at("width");
  for (const nlohmann::json& item : windows.at("windows"))
    loaded.windows_.push_back(window_of(item));
  for (const nlohmann::json& item : sample) loaded.sample_.push_back(sampled_row(item));
  *this = std::move(loaded);
}

}  // namespace splitgp
