#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serve/live/history.h"
#include "serve/live/rows_seen.h"
#include "serve/observer.h"
#include "serve/page_source.h"

namespace splitgp::serve {

/// What the live page shows: fed by the thread that learns, read by those that answer. Its memory
/// is bounded however long the service runs.
///
/// Threads: any. A call that feeds it waits at most until a reader has copied what it needs; JSON
/// is made outside the lock.
class LiveFeed : public Observer, public PageSource {
 public:
  struct Settings {
    std::string name;     ///< Of the model, in the routes.
    std::string version;  ///< Of splitgp.
    /// What a file tells of the rows learned before it was opened: `history` of the state, as JSON.
    std::function<std::string(const ModelFile&)> past = nullptr;
  };
  LiveFeed(Settings settings, ReadModel read);

  void learned(const LearnedRow& row) override;
  void rejected(const std::string& reason) override;
  void predicted() override;
  void forgot(const ForgetResult& result) override;
  void began(const ModelFile& file) override;

  std::string state_json() override;
  std::string tick_json() override;
  std::vector<std::string> take_alarms() override;
  std::string map_json(Eigen::Index first, Eigen::Index second) override;
  std::optional<Asset> asset(std::string_view name) override;

 private:
  /// What the thread that learns has told. Copied whole by readers.
  struct Told {
    std::optional<History> history;  // from the first row on, which says how many outputs there are
    RowsSeen rows;
    std::uint64_t rejected = 0;
    std::uint64_t predicted = 0;
    std::uint64_t forgot = 0;  // how often something was forgotten since it was last dropped here
  };
  struct Map {
    double made = 0.0;
    std::uint64_t seen = 0;
    std::string json;
  };

  Told told();
  nlohmann::ordered_json figures_json(const Told& told) const;
  void drop_forgotten();
  std::string new_map(const InputPair& pair, std::uint64_t& seen);

  const Settings settings_;
  const ReadModel read_;
  const double started_;
  std::mutex mutex_;
  Told told_;
  std::string past_ = "null";
  std::vector<OutputError> errors_;  // of one row; only the thread that learns uses it
  std::deque<std::string> alarms_;   // not taken yet
  std::mutex map_mutex_;
  std::map<std::pair<Eigen::Index, Eigen::Index>, Map> maps_;
};

}  // namespace splitgp::serve
