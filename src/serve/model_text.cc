#include "serve/model_text.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "serve/protocol/json_writer.h"

namespace splitgp::serve {
namespace {

void write_tensor(JsonWriter& json, const char* name, const char* datatype,
                  std::initializer_list<Eigen::Index> shape) {
  json.begin_object().key("name").text(name).key("datatype").text(datatype);
  json.key("shape").begin_array();
  for (const Eigen::Index size : shape) json.integer(size);
  json.end_array().end_object();
}

void write_names(JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key).begin_array();
  for (const std::string& name : names) json.text(name);
  json.end_array();
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0.0, resident = 0.0;
  if (!(file >> pages >> resident)) return 0.0;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double file_bytes(const std::string& path) {
  double sum = 0.0;
  for (const char* const end : {"", "-wal"}) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path + end, error);
    if (!error) sum += static_cast<double>(size);
  }
  return sum;
}

}  // namespace

std::string server_json() {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("name").text("splitgp").key("version").text(SPLITGP_VERSION);
  write_names(json, "extensions",
              {"binary_tensor_data", "learn", "rows", "forget", "report", "snapshot"});
  json.end_object();
  return text;
}

std::string model_json(const ServedModel& model, const std::string& name) {
  const SplittingGp& gp = model.file.model();
  const Eigen::Index inputs = gp.n_inputs(), outputs = gp.n_outputs();
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("name").text(name);
  write_names(json, "versions", {"1"});
  json.key("platform").text("splitgp");
  json.key("inputs").begin_array();
  write_tensor(json, "x", "FP64", {-1, inputs});
  json.end_array().key("outputs").begin_array();
  for (const char* const output : {"mean", "sd", "lower", "upper", "z"}) {
    write_tensor(json, output, "FP64", {-1, outputs});
  }
  for (const char* const output : {"mean_gradient", "variance_gradient"}) {
    write_tensor(json, output, "FP64", {-1, outputs, inputs});
  }
  json.end_array().key("parameters").begin_object();
  write_names(json, "input_names", model.recipe.input_names());
  write_names(json, "output_names", model.recipe.target_names());
  write_names(json, "columns", model.recipe.used_columns());
  json.key("observations").count(gp.n_observations());
  json.key("next_sequence").count(gp.n_seen());
  json.key("local_gps").integer(gp.n_local());
  json.key("trainings").count(gp.training_history().size());
  json.key("interval_known").boolean(model.interval_known());
  json.end_object().end_object();
  return text;
}

std::string metrics_text(const Metrics& metrics, Learner& learner, const http::Server* server,
                         const std::string& model_path) {
  std::string text = metrics.to_text();
  const LearnerCounts counts = learner.counts();
  const auto add = [&text](const char* name, const char* type, const char* help, auto value) {
    add_metric(text, name, type, help, static_cast<double>(value));
  };
  add("splitgp_rows_learned_total", "counter", "Rows learned since the start.", counts.learned);
  add("splitgp_rows_rejected_total", "counter",
      "Rows that could not be learned, and outliers left out.", counts.rejected);
  add("splitgp_rows_predicted_total", "counter", "Rows of tables without a target.",
      counts.predicted);
  add("splitgp_rows_early_total", "counter", "Rows of tables too early for their lags.",
      counts.early);
  add("splitgp_rows_repeated_total", "counter",
      "Rows not learned again because their id was known.", counts.repeated);
  add("splitgp_observations_forgotten_total", "counter", "Observations forgotten.",
      counts.forgotten);
  add("splitgp_outliers_total", "counter", "Rows more than 8 standard deviations off.",
      counts.outliers);
  add("splitgp_drift_alarms_total", "counter", "Drift alarms.", counts.alarms);
  add("splitgp_trainings_total", "counter", "Trainings that ended.", counts.trainings);
  add("splitgp_splits_total", "counter", "Splits of local GPs.", counts.splits);
  add("splitgp_commits_total", "counter", "Transactions written to the model file.",
      counts.commits);
  add("splitgp_commits_failed_total", "counter", "Transactions that could not be written.",
      counts.failed_commits);
  add("splitgp_commit_seconds_total", "counter", "Time spent writing them.", counts.commit_seconds);
  add("splitgp_failing", "gauge", "1 while rows cannot be written.", counts.failing ? 1 : 0);
  add("splitgp_queue_rows", "gauge", "Rows waiting to be learned.", counts.queue_rows);
  add("splitgp_queue_requests", "gauge", "Requests waiting to be learned.", counts.queue_jobs);
  add("splitgp_waiting_rows", "gauge", "Predicted rows that wait for their labels.",
      counts.waiting);
  add("splitgp_waiting_rows_dropped_total", "counter", "Waiting rows dropped to make room.",
      counts.waiting_dropped);
  add("splitgp_remembered_ids", "gauge", "Ids of rows that are remembered.", counts.ids);
  add("splitgp_recent_rows", "gauge", "Values that the next two are taken over, at most 1,000.",
      counts.recent_rows);
  add("splitgp_recent_coverage", "gauge",
      "Share of them inside the 95 % interval predicted before.", counts.recent_coverage);
  add("splitgp_recent_nis", "gauge", "Their mean squared normalised innovation; 1 if all is right.",
      counts.recent_nis);
  learner.read_all([&add](const ServedModel& model) {
    const SplittingGp& gp = model.file.model();
    add("splitgp_local_gps", "gauge", "Local GPs.", gp.n_local());
    add("splitgp_observations", "gauge", "Observations held.", gp.n_observations());
    add("splitgp_observations_seen_total", "counter", "Observations ever learned.", gp.n_seen());
    add("splitgp_model_memory_bytes", "gauge", "Memory of the model.", gp.memory_bytes());
  });
  add("splitgp_file_bytes", "gauge", "Size of the model file and its log.", file_bytes(model_path));
  add("process_resident_memory_bytes", "gauge", "Resident memory of the process.",
      resident_bytes());
  if (server != nullptr) {
    const http::ServerCounts http = server->counts();
    add("splitgp_connections", "gauge", "Open connections.", http.connections);
    add("splitgp_connections_refused_total", "counter", "Connections above the limit.",
        http.connections_refused);
    add("splitgp_request_timeouts_total", "counter", "Requests that came too slowly.",
        http.timeouts);
    add("splitgp_viewers", "gauge", "Viewers of the live page.", http.viewers);
    add("splitgp_viewers_dropped_total", "counter", "Viewers that were too slow.",
        http.viewers_dropped);
  }
  return text;
}

}  // namespace splitgp::serve
