#include "cli/scores/windows_json.h"

#include <nlohmann/json.hpp>

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kPoints = 80;

}  // namespace

std::vector<ScoreWindow> joined_windows(const Scores& scores) {
  const std::vector<ScoreWindow>& windows = scores.windows();
  const std::size_t width = (windows.size() + kPoints - 1) / kPoints;
  std::vector<ScoreWindow> result;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    if (i % width == 0) {
      result.push_back(windows[i]);
      continue;
    }
    ScoreWindow& whole = result.back();
    whole.last_row = windows[i].last_row;
    whole.local_gps = windows[i].local_gps;
    for (std::size_t o = 0; o < whole.outputs.size(); ++o) {
      whole.outputs[o].add(windows[i].outputs[o]);
    }
  }
  return result;
}

json windows_json(const Scores& scores) {
  const std::vector<ScoreWindow> windows = joined_windows(scores);
  json rows = json::array();
  for (const ScoreWindow& window : windows) rows.push_back(window.last_row);
  json outputs = json::array();
  for (std::size_t o = 0; o < scores.outputs().size(); ++o) {
    OutputScore sum;
    json rmse = json::array(), rmse_so_far = json::array(), nlpd = json::array(),
         coverage = json::array(), interval_rows = json::array();
    for (const ScoreWindow& window : windows) {
      const OutputScore& score = window.outputs[o];
      sum.add(score);
      rmse.push_back(score.rmse());
      rmse_so_far.push_back(sum.rmse());
      nlpd.push_back(score.mean_nlpd());
      coverage.push_back(score.coverage());
      interval_rows.push_back(score.interval_rows);
    }
    outputs.push_back({{"rmse", rmse},
                       {"rmse_so_far", rmse_so_far},
                       {"nlpd", nlpd},
                       {"coverage", coverage},
                       {"interval_rows", interval_rows}});
  }
  return {{"last_row", rows}, {"outputs", outputs}};
}

}  // namespace splitgp
