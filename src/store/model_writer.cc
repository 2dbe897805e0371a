#include "store/model_writer.h"

#include "core/refit.h"
#include "core/trend.h"
#include "core/validate.h"
#include "store/drift_rows.h"
#include "store/history_rows.h"
#include "store/number_list.h"
#include "store/option_rows.h"
#include "store/running_rows.h"
#include "store/schema.h"
#include "store/stream_columns.h"

namespace splitgp::store {
namespace {

using Eigen::Index;
using Same = TableWriter::Same;

std::uint64_t version_of(const LocalGp& local) { return local.theta().version; }

}  // namespace

ModelWriter::ModelWriter(Database& database, Index inputs, Index outputs,
                         std::vector<std::string> input_names,
                         std::vector<std::string> output_names)
    : database_(database),
      inputs_(inputs),
      outputs_(outputs),
      input_names_(std::move(input_names)),
      output_names_(std::move(output_names)),
      observation_(database, "observation", columns_of_observation(inputs, outputs), Same::fails),
      borrowing_(database, "borrowing", 4, Same::fails),
      split_(database, "split", 8, Same::fails),
      training_(database, "training", 15, Same::fails),
      training_more_(database, "training_more", 8, Same::fails),
      theta_(database, "theta", 9, Same::fails),
      theta_trend_(database, "theta_trend", 5, Same::fails),
      local_gp_(database, "local_gp", 3, Same::replaces),
      input_(database, "input", 5, Same::replaces),
      output_(database, "output", 5, Same::replaces),
      running_(database, "running", 3, Same::replaces),
      model_(database, "model", 3, Same::replaces),
      drift_group_(database, "drift_group", 8, Same::replaces),
      alarm_(database, "alarm", 16, Same::replaces) {}

void ModelWriter::resume(const ModelState& model) {
  held_ = {model.knowledge.observations,
           model.partition.split_history.size(),
           model.knowledge.training_history.size(),
           model.partition.local_gps.size(),
           model.knowledge.theta->version,
           model.n_alarms,
           false};
  thetas_.insert(model.knowledge.theta->version);
  for (const TrainResult& training : model.knowledge.training_history) {
    thetas_.insert(training.theta_version);
  }
  for (const LocalGp& local : model.partition.local_gps) {
    local_thetas_.push_back(version_of(local));
    thetas_.insert(version_of(local));
  }
}

void ModelWriter::write_all(const ModelState& model) {
  at_start_ = model.knowledge.observations;
  write_options(database_, model.options,
                starting_theta(model.options, model.inputs, model.outputs));
  model_.add("observations_at_start").add(at_start_).write();
  write_start(model);
  held_.observations = at_start_;
  new_file_ = true;
  write_changes(model, {});
}

// Writes what was learned before there was a file.
void ModelWriter::write_start(const ModelState& model) {
  struct Place {
    std::size_t local_gp;
    Index row;
  };
  std::vector<Place> places(model.knowledge.observations);
  TableWriter at_start(database_, "local_gp_at_start", 3, Same::fails);
  std::vector<std::uint64_t> points;
  for (std::size_t i = 0; i < model.partition.local_gps.size(); ++i) {
    const LocalGp& local = model.partition.local_gps[i];
    points.clear();
    for (Index j = 0; j < local.size(); ++j) {
      points.push_back(local.sequence(j));
      if (local.owns(j)) places[local.sequence(j)] = {i, j};
    }
    const std::string text = to_text(points);
    at_start.add(std::uint64_t{i}).add(text).write();
  }
  for (std::uint64_t sequence = 0; sequence < model.knowledge.observations; ++sequence) {
    const auto [i, j] = places[sequence];
    const LocalGp& local = model.partition.local_gps[i];
    observation_.add(sequence);
    for (Index k = 0; k < inputs_; ++k) observation_.add(local.inputs()(j, k));
    for (Index o = 0; o < outputs_; ++o) observation_.add(local.outputs()(j, o));
    observation_.add(local.noise_variance()(j)).add(std::uint64_t{i}).add_null().write();
  }
}

void ModelWriter::write_changes(const ModelState& model, const Steps& steps) {
  next_ = {model.knowledge.observations,
           model.partition.split_history.size(),
           model.knowledge.training_history.size(),
           model.partition.local_gps.size(),
           model.knowledge.theta->version,
           model.n_alarms,
           held_.all_current};
  new_thetas_.clear();
  new_local_thetas_.clear();
  write_steps(steps);
  write_histories(model, steps);
  write_local_gps(model);
  write_stream_columns(input_, input_names_, model.knowledge.input_statistics);
  write_stream_columns(output_, output_names_, model.knowledge.output_statistics);
  write_running(running_, model);
  write_drift(model);
  write_numbers(model);
}

void ModelWriter::write_steps(const Steps& steps) {
  const double* value = steps.values.data();
  std::uint64_t sequence = held_.observations;
  for (const Steps::Step& step : steps.steps) {
    observation_.add(sequence++);
    for (Index k = 0; k < inputs_ + outputs_ + 1; ++k) observation_.add(*value++);
    observation_.add(step.local_gp).add(step.displaced).write();
  }
  for (const Steps::Borrowed& one : steps.borrowed) {
    borrowing_.add(one.sequence).add(one.local_gp).add(one.displaced).write();
  }
}

void ModelWriter::write_histories(const ModelState& model, const Steps& steps) {
  for (std::size_t i = held_.splits; i < model.partition.split_history.size(); ++i) {
    const SplitRecord& split = model.partition.split_history[i];
    split_.add(std::uint64_t{i}).add(split.sequence);
    split_.add(std::int64_t{split.parent}).add(std::int64_t{split.child});
    split_.add(std::int64_t{split.parent_owned}).add(std::int64_t{split.child_owned});
    // The results of splits from before there was a file are in local_gp_at_start.
    if (i - held_.splits < steps.leaving.size()) {
      const std::string leaving = to_text(steps.leaving[i - held_.splits]);
      split_.add(leaving).write();
    } else {
      split_.add_null().write();
    }
  }
  write_theta_once(model.knowledge.theta->values, model.knowledge.theta->version);
  for (std::size_t i = held_.trainings; i < model.knowledge.training_history.size(); ++i) {
    const TrainResult& result = model.knowledge.training_history[i];
    write_theta_once(result.theta, result.theta_version);
    write_training(training_, i, result);
    write_training_more(training_more_, i, result);
  }
}

void ModelWriter::write_theta_once(const Hyperparameters& theta, std::uint64_t version) {
  if (thetas_.contains(version) || !new_thetas_.insert(version).second) return;
  write_theta(theta_, theta, version);
  if (has_trend(theta)) write_trend(theta_trend_, theta, version);
}

void ModelWriter::write_local_gps(const ModelState& model) {
  const auto write = [&](std::size_t i) {
    const LocalGp& local = model.partition.local_gps[i];
    write_theta_once(local.theta().values, local.theta().version);
    local_gp_.add(std::uint64_t{i}).add(local.theta().version).write();
    new_local_thetas_.emplace_back(i, local.theta().version);
  };
  if (!held_.all_current || next_.theta_version != held_.theta_version) {
    next_.all_current = true;
    for (std::size_t i = 0; i < held_.local_gps; ++i) {
      const std::uint64_t now = version_of(model.partition.local_gps[i]);
      if (now != local_thetas_[i]) write(i);
      if (now != next_.theta_version) next_.all_current = false;
    }
  }
  for (std::size_t i = held_.local_gps; i < model.partition.local_gps.size(); ++i) {
    write(i);
    if (version_of(model.partition.local_gps[i]) != next_.theta_version) next_.all_current = false;
  }
}

void ModelWriter::write_drift(const ModelState& model) {
  if (new_file_) {
    for (Index i = 0; i < model.drift.size(); ++i) write_drift_group(drift_group_, model.drift, i);
  } else {
    for (const Index i : model.drift.changed()) write_drift_group(drift_group_, model.drift, i);
  }
  write_alarms(alarm_, model, held_.alarms);
}

void ModelWriter::write_numbers(const ModelState& model) {
  const TrainingSchedule::Marks& marks = model.knowledge.schedule.marks();
  model_.add("observations").add(next_.observations).write();
  model_.add("local_gps").add(std::uint64_t{next_.local_gps}).write();
  model_.add("splits").add(std::uint64_t{next_.splits}).write();
  model_.add("trainings").add(std::uint64_t{next_.trainings}).write();
  model_.add("theta_version").add(next_.theta_version).write();
  model_.add("theta_given").add(std::int64_t{model.knowledge.theta_given}).write();
  model_.add("refit_cursor")
      .add(std::int64_t{refit_cursor(model.partition, *model.knowledge.theta)})
      .write();
  model_.add("next_training").add(marks.next).write();
  model_.add("last_search").add(marks.searched).write();
  model_.add("ever_trained").add(std::int64_t{marks.ever_trained}).write();
  model_.add("regime").add(marks.regime).write();
  model_.add("regime_next").add(marks.regime_next).write();
  model_.add("regime_before").add(marks.regime_before).write();
  model_.add("theta_before").add(marks.theta_before).write();
  model_.add("surprised").add(marks.surprised).write();
  model_.add("patience").add(marks.patience).write();
  model_.add("alarms").add(next_.alarms).write();
  model_.add("vigilant_until").add(model.drift.vigilant_until()).write();
  model_.add("rejected").add(model.rejected).write();
  model_.add("unusual").add(model.knowledge.surprise.state().unusual).write();
}

void ModelWriter::committed() {
  held_ = next_;
  new_file_ = false;
  thetas_.merge(new_thetas_);
  local_thetas_.resize(held_.local_gps);
  for (const auto& [i, theta_version] : new_local_thetas_) local_thetas_[i] = theta_version;
  new_local_thetas_.clear();
}

}  // namespace splitgp::store
