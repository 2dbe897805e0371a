// The map of a partition while the model goes on learning.
#include <chrono>
#include <nlohmann/json.hpp>

#include "charts/column_map.h"
#include "charts/relevance.h"
#include "serve/live/feed.h"
#include "splitgp/error.h"

namespace splitgp::serve {

using Eigen::Index;
using Json = nlohmann::ordered_json;

namespace {

// Points that are predicted while the model is held: updates wait for so many, a few milliseconds.
constexpr Index kPiece = 32;
constexpr Index kSide = 40;
// Viewers who look at the same map share it.
constexpr double kFreshSeconds = 2.0;
constexpr std::size_t kMostMaps = 16;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

PredictedPoints predict_in_pieces(const ReadModel& read, Index outputs,
                                  const Eigen::MatrixXd& points) {
  PredictedPoints result(outputs, points.cols());
  for (Index first = 0; first < points.cols(); first += kPiece) {
    const Index count = std::min(kPiece, points.cols() - first);
    read([&](const ModelView& view) {
      result.set(first, view.model.predict(points.middleCols(first, count)));
    });
  }
  return result;
}

}  // namespace

std::string LiveFeed::new_map(const InputPair& pair, std::uint64_t& seen) {
  const Told told = this->told();
  MapSource source;
  std::optional<table::Recipe> recipe;
  std::vector<Index> owned;
  Index outputs = 0;
  const bool there = read_([&](const ModelView& view) {
    const SplittingGp& model = view.model;
    recipe = view.recipe;
    seen = model.n_seen();
    outputs = model.n_outputs();
    source.partition = partition_facts(model);
    source.relevance = relevance(model, view.recipe.features());
    for (const LocalGpSummary& local : model.local_gps()) owned.push_back(local.owned);
  });
  const Index columns = there ? std::ssize(recipe->features()) : 0;
  const bool line = columns == 1;
  if (!there || owned.empty()) return "null";
  if (!line &&
      (pair.x == pair.y || pair.x < 0 || pair.y < 0 || pair.x >= columns || pair.y >= columns)) {
    throw InvalidArgument("inputs: a map has two different inputs between 0 and " +
                          std::to_string(columns - 1) + ", not " + std::to_string(pair.x) +
                          " and " + std::to_string(pair.y));
  }
  source.observed = told.rows.observed(source.partition.length_scale);
  source.predict = [this, outputs](const Eigen::MatrixXd& points) {
    return predict_in_pieces(read_, outputs, points);
  };
  MapChoice choice{.first = pair, .alone = true, .side = kSide};
  if (line) choice.first.reset();
  Json result = recipe->is_plain() ? partition_json(source, choice)
                                   : column_partition_json(source, *recipe, choice);
  result["owned"] = owned;
  result["seen"] = seen;
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string LiveFeed::map_json(Index first, Index second) {
  // One map at a time: whoever waits here finds it made.
  const std::lock_guard lock(map_mutex_);
  std::uint64_t seen = 0;
  read_([&seen](const ModelView& view) { seen = view.model.n_seen(); });
  const auto found = maps_.find({first, second});
  if (found != maps_.end() &&
      (found->second.seen == seen || steady_seconds() - found->second.made < kFreshSeconds)) {
    return found->second.json;
  }
  std::string text = new_map({first, second}, seen);
  if (maps_.size() >= kMostMaps) maps_.clear();
  maps_[{first, second}] = {steady_seconds(), seen, text};
  return text;
}

}  // namespace splitgp::serve
