#include "cli/stream/events.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/alarm_json.h"
#include "core/api/internals.h"

namespace splitgp {

using json = nlohmann::ordered_json;

namespace {

json event(std::uint64_t row, const char* kind) { return {{"row", row}, {"event", kind}}; }

std::string line_of(const json& event) {
  return event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

// With those that are no longer in its history.
std::uint64_t trainings_of(const SplittingGp& model) {
  return Internals::of(model).knowledge.trainings_dropped + model.training_history().size();
}

json drift_json(std::uint64_t row, const Alarm& alarm, const ObservationColumns& columns) {
  json result = event(row, "drift");
  result.update(alarm_json(alarm, columns));
  json& region = result["region"] = json::object();
  for (std::size_t k = 0; k < columns.inputs.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    region[columns.inputs[k]] = {alarm.lower(at), alarm.upper(at)};
  }
  return result;
}

}  // namespace

Events::Events(const std::string& path, const StreamModel& model,
               std::optional<std::uint64_t> resume_after)
    : model_(model),
      file_(path, "", resume_after, R"({"row":)"),
      trainings_(trainings_of(model.model())) {}

void Events::add(std::uint64_t row, const UpdateResult& result) {
  if (result.record.new_local_gp) {
    json split = event(row, "split");
    split.update({{"sequence", result.sequence},
                  {"local_gp", result.record.routed_to},
                  {"new_local_gp", *result.record.new_local_gp}});
    file_.write(line_of(split));
  }
  if (!result.record.forgotten.empty()) {
    json forgotten = event(row, "forgotten");
    forgotten.update({{"sequence", result.sequence},
                      {"count", result.record.forgotten.size()},
                      {"sequences", std::vector<std::uint64_t>(result.record.forgotten.begin(),
                                                               result.record.forgotten.end())}});
    file_.write(line_of(forgotten));
  }
  add_alarms(row, result);
  if (result.trained) add_trainings(row);
}

void Events::add_alarms(std::uint64_t row, const UpdateResult& result) {
  for (const Alarm& alarm : result.alarms) {
    file_.write(line_of(drift_json(row, alarm, model_.columns())));
    if (alarm.forgotten == 0) continue;
    json forgotten = event(row, "forgotten");
    forgotten.update(
        {{"sequence", alarm.sequence}, {"count", alarm.forgotten}, {"before", alarm.change_point}});
    file_.write(line_of(forgotten));
  }
}

void Events::add_rejected(std::uint64_t row, const std::string& source, std::uint64_t line,
                          const std::string& reason, const UpdateResult* outlier) {
  json rejected = event(row, "rejected");
  rejected.update({{"source", source}, {"line", line}, {"reason", reason}});
  if (outlier != nullptr) {
    json& all = rejected["z"] = json::object();
    for (std::size_t o = 0; o < outlier->innovation.size(); ++o) {
      all[model_.columns().outputs[o]] = outlier->innovation[o].z;
    }
  }
  file_.write(line_of(rejected));
  if (outlier != nullptr) add_alarms(row, *outlier);
}

void Events::add_trainings(std::uint64_t row) {
  const std::uint64_t all = trainings_of(model_.model());
  const std::vector<TrainResult>& history = model_.model().training_history();
  const std::uint64_t dropped = all - history.size();
  for (trainings_ = std::max(trainings_, dropped); trainings_ < all; ++trainings_) {
    const TrainResult& result = history[trainings_ - dropped];
    json training = event(row, "training");
    training.update({{"sequence", result.sequence},
                     {"adopted", result.adopted},
                     {"failed", result.failed},
                     {"surprised", result.surprised},
                     {"theta_version", result.theta_version},
                     {"kernel", to_string(result.theta.kernel)}});
    file_.write(line_of(training));
  }
}

void Events::begin_anew() { trainings_ = trainings_of(model_.model()); }

}  // namespace splitgp
