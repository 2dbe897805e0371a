#include "cli/serve/past.h"

#include <nlohmann/json.hpp>

#include "cli/scores/windows_json.h"
#include "cli/stream/record.h"

namespace splitgp {

std::string past_json(const ModelFile& file) {
  const StreamRecord record = StreamRecord::load(
      file.model().n_outputs(), [&file](const std::string& key) { return file.note(key); });
  if (record.scores.windows().empty()) return "null";
  nlohmann::ordered_json past = windows_json(record.scores);
  past["rows"] = record.scores.rows();
  nlohmann::ordered_json& local_gps = past["local_gps"] = nlohmann::ordered_json::array();
  for (const ScoreWindow& window : joined_windows(record.scores)) {
    local_gps.push_back(window.local_gps);
  }
  return past.dump();
}

}  // namespace splitgp
