// What a report says about the stream: scores over time and a sample of predictions.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "charts/numbers.h"
#include "cli/report/data.h"
#include "cli/scores/windows_json.h"
#include "cli/stream/record.h"

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

json sample_json(const Scores& scores) {
  std::vector<SampledRow> rows = scores.sample();
  std::sort(rows.begin(), rows.end(),
            [](const SampledRow& a, const SampledRow& b) { return a.row < b.row; });
  json numbers = json::array();
  for (const SampledRow& row : rows) numbers.push_back(row.row);
  json outputs = json::array();
  for (std::size_t o = 0; o < scores.outputs().size(); ++o) {
    json observed = json::array(), mean = json::array(), sd = json::array(),
         half_width = json::array(), level = json::array();
    for (const SampledRow& row : rows) {
      observed.push_back(row.observed[o]);
      mean.push_back(row.mean[o]);
      sd.push_back(row.standard_deviation[o]);
      half_width.push_back(row.half_width[o]);
      level.push_back(row.level[o]);
    }
    outputs.push_back({{"observed", observed},
                       {"mean", mean},
                       {"sd", sd},
                       {"half_width", half_width},
                       {"level", level}});
  }
  return {{"row", numbers}, {"outputs", outputs}};
}

}  // namespace

json stream_json(const LoadedModel& loaded) {
  if (!loaded.notes.contains("stream")) return nullptr;
  const SplittingGp& model = loaded.model;
  const StreamRecord record =
      StreamRecord::load(model.n_outputs(), [&loaded](const std::string& key) {
        const auto found = loaded.notes.find(key);
        return found == loaded.notes.end() ? std::nullopt : std::optional(found->second);
      });
  const Scores& scores = record.scores;
  json outputs = json::array();
  for (Eigen::Index o = 0; o < model.n_outputs(); ++o) {
    const OutputScore& total = scores.outputs()[static_cast<std::size_t>(o)];
    outputs.push_back({{"rmse", total.rmse()},
                       {"recent_rmse", scores.recent_rmse(o)},
                       {"nlpd", total.mean_nlpd()},
                       {"coverage", total.coverage()},
                       {"spread", scores.spread(o)}});
  }
  return {{"rows_read", record.rows_read},
          {"learned", record.learned},
          {"rejected", record.rejected},
          {"seconds", record.seconds},
          {"outputs", outputs},
          {"windows", windows_json(scores)},
          {"sample", sample_json(scores)}};
}

}  // namespace splitgp
