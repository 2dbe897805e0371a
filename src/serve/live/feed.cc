#include "serve/live/feed.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "charts/facts.h"
#include "core/model/model_state.h"
#include "serve/live/assets.h"
#include "serve/live/fields.h"
#include "serve/live/short_number.h"

namespace splitgp::serve {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kAlarmsInState = 50;
constexpr std::size_t kAlarmsInTick = 5;
constexpr std::size_t kRowsInTick = 60;
constexpr std::size_t kPointsInTick = 4;
constexpr std::size_t kMostAlarmsWaiting = 100;

double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A name may hold bytes that are no UTF-8.
std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<Alarm> last_alarms(const SplittingGp& model, std::size_t most) {
  std::vector<Alarm> alarms = model.alarms();
  if (alarms.size() > most) {
    alarms.erase(alarms.begin(), alarms.end() - static_cast<std::ptrdiff_t>(most));
  }
  return alarms;
}

// What changes as the model learns and costs little to ask for.
Json model_json(const SplittingGp& model, std::size_t alarms) {
  return {{"observations", model.n_observations()},
          {"seen", model.n_seen()},
          {"local_gps", model.n_local()},
          {"kernel", to_string(model.hyperparameters().kernel)},
          {"theta_version", model.theta_version()},
          {"trainings", model.training_history().size()},
          {"innovation", chart_innovation(model)},
          {"n_alarms", model.n_alarms()},
          {"alarms", chart_alarms(last_alarms(model, alarms))}};
}

}  // namespace

LiveFeed::LiveFeed(Settings settings, ReadModel read)
    : settings_(std::move(settings)), read_(std::move(read)), started_(now()) {}

void LiveFeed::began(const ModelFile& file) {
  const SplittingGp& model = file.model();
  const ObservedInputs observed = observed_inputs(model, RowsSeen::kSample);
  const Options& options = model.options();
  const bool windowed =
      options.window_size > 0 || options.max_observations > 0 || options.max_age > 0.0;
  std::string past = settings_.past ? settings_.past(file) : "null";
  const std::lock_guard lock(mutex_);
  past_ = std::move(past);
  told_.rows.begin(observed, model.n_seen(), windowed);
  told_.history.emplace(static_cast<std::size_t>(model.n_outputs()), now(), model.n_local());
}

void LiveFeed::learned(const LearnedRow& row) {
  errors_.resize(row.y.size());
  for (std::size_t o = 0; o < errors_.size(); ++o) {
    errors_[o] = {row.y[o] - row.mean[o], row.interval_known,
                  row.lower[o] <= row.y[o] && row.y[o] <= row.upper[o]};
  }
  const std::lock_guard lock(mutex_);
  if (!told_.history) told_.history.emplace(errors_.size(), row.time);
  told_.history->add(row.time, errors_, row.local_gps);
  told_.rows.add(row);
  for (const Json& alarm : chart_alarms({row.alarms.begin(), row.alarms.end()})) {
    if (alarms_.size() == kMostAlarmsWaiting) alarms_.pop_front();
    alarms_.push_back(text_of(alarm));
  }
}

void LiveFeed::rejected(const std::string&) {
  const std::lock_guard lock(mutex_);
  ++told_.rejected;
}

void LiveFeed::predicted() {
  const std::lock_guard lock(mutex_);
  ++told_.predicted;
}

void LiveFeed::forgot(const ForgetResult&) {
  const std::lock_guard lock(mutex_);
  ++told_.forgot;
}

// Rows that someone took back must not be shown. Only the model knows which are left.
void LiveFeed::drop_forgotten() {
  std::uint64_t times = 0;
  {
    const std::lock_guard lock(mutex_);
    times = told_.forgot;
  }
  std::set<std::uint64_t> held;
  std::uint64_t seen = 0;
  const bool there = read_([&](const ModelView& view) {
    const std::vector<std::uint64_t> all = view.model.observations().sequence;
    held.insert(all.begin(), all.end());
    seen = view.model.n_seen();
  });
  if (!there) return;
  // Meanwhile rows may have been learned, and others forgotten.
  const std::lock_guard lock(mutex_);
  told_.rows.keep(held, seen);
  told_.forgot -= std::min(times, told_.forgot);
}

LiveFeed::Told LiveFeed::told() {
  {
    const std::lock_guard lock(mutex_);
    if (told_.history) told_.history->advance(now());
    if (told_.forgot == 0) return told_;
  }
  drop_forgotten();
  const std::lock_guard lock(mutex_);
  return told_;
}

Json LiveFeed::figures_json(const Told& told) const {
  return {{"time", now()},
          {"started", started_},
          {"learned", told.history ? told.history->rows() : 0},
          {"rejected", told.rejected},
          {"predicted", told.predicted},
          {"rows_per_second", told.history ? told.history->rows_per_second(now()) : 0.0},
          {"recent", told.history ? told.history->recent_json() : Json::array()}};
}

std::string LiveFeed::state_json() {
  const Told told = this->told();
  Json result{{"name", settings_.name}, {"version", settings_.version}, {"model", nullptr}};
  // What takes longer is done with copies, after the model was let go.
  std::optional<table::Recipe> recipe;
  Eigen::VectorXd length_scale;
  read_([&](const ModelView& view) {
    const SplittingGp& model = view.model;
    result["inputs"] = chart_inputs(model, view.recipe.features());
    result["outputs"] = chart_outputs(model, view.recipe.target_names());
    result["split_limit"] = model.options().split_limit;
    result["model"] = model_json(model, kAlarmsInState);
    length_scale = model.hyperparameters().length_scale;
    recipe = view.recipe;
  });
  if (recipe) {
    const ObservedInputs observed = told.rows.observed(length_scale);
    result["what_if"] = {{"plain", recipe->is_plain()},
                         {"by", recipe->parts().by},
                         {"fields", fields_json(*recipe, observed, told.rows.newest_inputs())}};
  }
  result["figures"] = figures_json(told);
  if (told.history) {
    result["points"] = told.history->points_json();
    result["rows"] = told.rows.latest_json();
  }
  std::string past;
  {
    const std::lock_guard lock(mutex_);
    past = past_;
  }
  // It is JSON already, and it stays as it was when the server started.
  std::string text = text_of(result);
  text.pop_back();
  return text + ",\"history\":" + past + "}";
}

std::string LiveFeed::tick_json() {
  const Told told = this->told();
  Json result{{"model", nullptr}};
  read_([&](const ModelView& view) {
    result["model"] = model_json(view.model, kAlarmsInTick);
    Json& inputs = result["relevance"] = Json::array();
    for (const Json& input : chart_inputs(view.model, view.recipe.features())) {
      inputs.push_back(short_number(input["relevance"]));
    }
  });
  result["figures"] = figures_json(told);
  if (told.history) {
    const std::size_t points = told.history->size();
    result["points"] = told.history->points_json(points - std::min(points, kPointsInTick));
    result["rows"] = told.rows.latest_json(kRowsInTick);
  }
  return text_of(result);
}

std::vector<std::string> LiveFeed::take_alarms() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> result(alarms_.begin(), alarms_.end());
  alarms_.clear();
  return result;
}

std::optional<Asset> LiveFeed::asset(std::string_view name) { return live_asset(name); }

}  // namespace splitgp::serve
