#include "store/model_writer.h"

#include <algorithm>
#include <numeric>

#include "core/options/validate.h"
#include "core/partition/renewing.h"
#include "core/train/trend.h"
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
      theta_trend_range_(database, "theta_trend_range", 3, Same::fails),
      local_gp_(database, "local_gp", 3, Same::replaces),
      input_(database, "input", 5, Same::replaces),
      output_(database, "output", 5, Same::replaces),
      running_(database, "running", 3, Same::replaces),
      model_(database, "model", 3, Same::replaces),
      points_(database, "local_gp_points", 4, Same::replaces),
      time_(database, "observation_time", 3, Same::fails),
      erase_observation_(database, "observation", "sequence = ?"),
      erase_time_(database, "observation_time", "sequence = ?"),
      erase_local_gp_(database, "local_gp", "number >= ?"),
      erase_points_(database, "local_gp_points", "number >= ?"),
      erase_split_(database, "split", "number < ?"),
      erase_training_(database, "training", "number < ?"),
      erase_training_more_(database, "training_more", "number < ?"),
      erase_theta_(database, "theta", "version = ?"),
      erase_theta_trend_(database, "theta_trend", "version = ?"),
      erase_theta_trend_range_(database, "theta_trend_range", "version = ?"),
      alarm_(database, "alarm", 16, Same::replaces),
      drift_parts_(database) {}

ModelWriter::Held ModelWriter::held_by(const ModelState& model) const {
  const Partition& partition = model.partition;
  const StreamHistory& knowledge = model.knowledge;
  Held held;
  held.observations = knowledge.observations;
  held.splits = partition.splits_dropped + partition.split_history.size();
  held.trainings = knowledge.trainings_dropped + knowledge.training_history.size();
  held.local_gps = partition.local_gps.size();
  held.theta_version = knowledge.theta->version;
  held.splits_dropped = partition.splits_dropped;
  held.trainings_dropped = knowledge.trainings_dropped;
  held.alarms = model.monitor.n_alarms;
  held.listed = partition.holders.started();
  return held;
}

void ModelWriter::resume(const ModelState& model) {
  held_ = held_by(model);
  held_.all_current = false;
  drift_parts_.resume(database_);
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
  write_options(database_, model.options,
                starting_theta(model.options, model.inputs, model.outputs));
  const std::uint64_t at_start = model.knowledge.observations;
  model_.add("observations_at_start").add(at_start).write();
  write_start(model);
  held_.observations = at_start;
  write_changes(model, {});
}

// Writes what was learned before there was a file.
void ModelWriter::write_start(const ModelState& model) {
  struct Place {
    std::uint64_t sequence;
    std::size_t local_gp;
    Index row;
  };
  std::vector<Place> places;
  places.reserve(model.partition.held);
  const bool lists = model.partition.holders.started();
  TableWriter at_start(database_, "local_gp_at_start", 3, Same::fails);
  std::vector<std::uint64_t> points;
  for (std::size_t i = 0; i < model.partition.local_gps.size(); ++i) {
    const LocalGp& local = model.partition.local_gps[i];
    points.clear();
    for (Index j = 0; j < local.size(); ++j) {
      points.push_back(local.sequence(j));
      if (local.owns(j)) places.push_back({local.sequence(j), i, j});
    }
    if (lists) continue;
    const std::string text = to_text(points);
    at_start.add(std::uint64_t{i}).add(text).write();
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.sequence < b.sequence; });
  for (const auto [sequence, i, j] : places) {
    const LocalGp& local = model.partition.local_gps[i];
    observation_.add(sequence);
    for (Index k = 0; k < inputs_; ++k) observation_.add(local.inputs()(j, k));
    for (Index o = 0; o < outputs_; ++o) observation_.add(local.outputs()(j, o));
    observation_.add(local.noise_variance()(j)).add(std::uint64_t{i}).add_null().write();
  }
  for (std::size_t i = 0; i < model.retention.expiry.size(); ++i) {
    const Expiry::Entry& entry = model.retention.expiry[i];
    if (model.partition.holders.contains(entry.sequence))
      time_.add(entry.sequence).add(entry.time).write();
  }
}

void ModelWriter::write_changes(const ModelState& model, const Journal& journal) {
  next_ = held_by(model);
  next_.all_current = held_.all_current;
  new_thetas_.clear();
  new_local_thetas_.clear();
  dropped_thetas_.clear();
  write_rows(model, journal);
  write_histories(model, journal);
  write_local_gps(model);
  if (next_.listed) write_lists(model);
  drop_histories(model);
  write_stream_columns(input_, input_names_, model.knowledge.input_statistics);
  write_stream_columns(output_, output_names_, model.knowledge.output_statistics);
  write_running(running_, model);
  drift_parts_.write(model.monitor.drift);
  write_alarms(alarm_, model, held_.alarms);
  write_numbers(model);
}

void ModelWriter::write_rows(const ModelState& model, const Journal& journal) {
  const double* value = journal.values.data();
  std::uint64_t sequence = held_.observations;
  const Holders& holders = model.partition.holders;
  for (std::size_t i = 0; i < journal.records.size();
       ++i, ++sequence, value += inputs_ + outputs_ + 1) {
    if (next_.listed && !holders.contains(sequence)) continue;  // forgotten before it was written
    observation_.add(sequence);
    for (Index k = 0; k < inputs_ + outputs_ + 1; ++k) observation_.add(value[k]);
    const UpdateRecord& record = journal.records[i];
    observation_.add(std::int64_t{record.routed_to}).add(record.displaced).write();
    for (const Borrowing& one : next_.listed ? Borrowings() : record.borrowed)
      borrowing_.add(sequence).add(std::int64_t{one.local_gp}).add(one.displaced).write();
    if (!journal.times.empty()) time_.add(sequence).add(journal.times[i]).write();
  }
  if (next_.listed) {
    for (const std::uint64_t gone : model.partition.changes.forgotten) {
      if (gone >= held_.observations) continue;
      erase_observation_.erase(gone);
      erase_time_.erase(gone);
    }
  }
}

void ModelWriter::write_histories(const ModelState& model, const Journal& journal) {
  const Partition& partition = model.partition;
  const bool begins_lists = next_.listed && !held_.listed;
  if (begins_lists) {
    // From now on the lists say who holds what, not what each observation did.
    database_.execute("DELETE FROM borrowing; DELETE FROM local_gp_at_start; DELETE FROM split");
  }
  const std::uint64_t dropped = partition.splits_dropped;
  auto made = journal.records.begin();  // those of the splits, in order
  for (std::uint64_t i = begins_lists ? dropped : std::max(held_.splits, dropped); i < next_.splits;
       ++i) {
    const SplitRecord& split = partition.split_history[i - dropped];
    split_.add(i).add(split.sequence);
    split_.add(std::int64_t{split.parent}).add(std::int64_t{split.child});
    split_.add(std::int64_t{split.parent_owned}).add(std::int64_t{split.child_owned});
    // The results of splits from before there was a file are in local_gp_at_start.
    while (made != journal.records.end() && !made->new_local_gp) ++made;
    if (!next_.listed && made != journal.records.end()) {
      const std::string leaving = to_text((made++)->leaving);
      split_.add(leaving).write();
    } else {
      split_.add_null().write();
    }
  }
  const StreamHistory& knowledge = model.knowledge;
  write_theta_once(knowledge.theta->values, knowledge.theta->version);
  for (std::uint64_t i = std::max(held_.trainings, knowledge.trainings_dropped);
       i < next_.trainings; ++i) {
    const TrainResult& result = knowledge.training_history[i - knowledge.trainings_dropped];
    write_theta_once(result.theta, result.theta_version);
    write_training(training_, i, result);
    write_training_more(training_more_, i, result);
  }
}

// Deletes what a bounded history no longer has, and every θ that nobody uses any more.
void ModelWriter::drop_histories(const ModelState& model) {
  if (next_.splits_dropped > held_.splits_dropped) erase_split_.erase(next_.splits_dropped);
  if (next_.trainings_dropped == held_.trainings_dropped) return;
  erase_training_.erase(next_.trainings_dropped);
  erase_training_more_.erase(next_.trainings_dropped);
  std::set<std::uint64_t> used{model.knowledge.theta->version};
  for (const TrainResult& result : model.knowledge.training_history)
    used.insert(result.theta_version);
  for (const LocalGp& local : model.partition.local_gps) used.insert(version_of(local));
  for (const std::uint64_t version : thetas_) {
    if (used.contains(version)) continue;
    erase_theta_.erase(version);
    erase_theta_trend_.erase(version);
    erase_theta_trend_range_.erase(version);
    dropped_thetas_.push_back(version);
  }
}

void ModelWriter::write_theta_once(const Hyperparameters& theta, std::uint64_t version) {
  if (thetas_.contains(version) || !new_thetas_.insert(version).second) return;
  write_theta(theta_, theta, version);
  if (!has_trend(theta)) return;
  write_trend(theta_trend_, theta, version);
  write_trend_range(theta_trend_range_, theta, version);
}

void ModelWriter::write_local_gps(const ModelState& model) {
  const std::size_t size = model.partition.local_gps.size();
  const std::size_t both = std::min(size, held_.local_gps);
  const auto write = [&](std::size_t i) {
    const LocalGp& local = model.partition.local_gps[i];
    write_theta_once(local.theta().values, local.theta().version);
    local_gp_.add(std::uint64_t{i}).add(local.theta().version).write();
    new_local_thetas_.emplace_back(i, local.theta().version);
  };
  if (!held_.all_current || next_.theta_version != held_.theta_version) {
    next_.all_current = true;
    for (std::size_t i = 0; i < both; ++i) {
      const std::uint64_t now = version_of(model.partition.local_gps[i]);
      if (now != local_thetas_[i]) write(i);
      if (now != next_.theta_version) next_.all_current = false;
    }
  }
  for (std::size_t i = both; i < size; ++i) {
    write(i);
    if (version_of(model.partition.local_gps[i]) != next_.theta_version) next_.all_current = false;
  }
  if (size < held_.local_gps) erase_local_gp_.erase(size);
}

// The local GPs that hold others than before, or all of them if there were no lists.
void ModelWriter::write_lists(const ModelState& model) {
  const Partition& partition = model.partition;
  const Index size = partition.size();
  std::vector<Index> changed = partition.changes.local_gps;
  if (!held_.listed) {
    changed.resize(partition.local_gps.size());
    std::iota(changed.begin(), changed.end(), Index{0});
  }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  std::vector<std::uint64_t> points;
  std::string owned;
  for (const Index i : changed) {
    if (i >= size) break;
    const LocalGp& local = partition.at(i);
    points.clear();
    owned.clear();
    for (Index j = 0; j < local.size(); ++j) {
      points.push_back(local.sequence(j));
      owned += local.owns(j) ? '1' : '0';
    }
    const std::string text = to_text(points);
    points_.add(std::int64_t{i}).add(text).add(owned).write();
  }
  if (partition.local_gps.size() < held_.local_gps) erase_points_.erase(partition.local_gps.size());
}

void ModelWriter::write_numbers(const ModelState& model) {
  const TrainingSchedule::Marks& marks = model.knowledge.schedule.marks();
  model_.add("observations").add(next_.observations).write();
  model_.add("held").add(model.partition.held).write();
  model_.add("listed").add(std::int64_t{next_.listed}).write();
  model_.add("described").add(std::int64_t{model.knowledge.input_statistics.sums().n}).write();
  model_.add("local_gps").add(std::uint64_t{next_.local_gps}).write();
  model_.add("splits").add(next_.splits).write();
  model_.add("splits_dropped").add(next_.splits_dropped).write();
  model_.add("trainings").add(next_.trainings).write();
  model_.add("trainings_dropped").add(next_.trainings_dropped).write();
  model_.add("theta_version").add(next_.theta_version).write();
  model_.add("theta_given").add(std::int64_t{model.knowledge.theta_given}).write();
  model_.add("refit_cursor")
      .add(std::int64_t{current_before(model.partition, *model.knowledge.theta)})
      .write();
  model_.add("merging").add(std::int64_t{model.retention.merging}).write();
  model_.add("next_training").add(marks.next).write();
  model_.add("last_search").add(marks.searched).write();
  model_.add("ever_trained").add(std::int64_t{marks.ever_trained}).write();
  model_.add("regime").add(marks.regime).write();
  model_.add("surprised").add(marks.surprised).write();
  model_.add("patience").add(marks.patience).write();
  model_.add("alarms").add(next_.alarms).write();
  model_.add("rejected").add(model.monitor.rejected).write();
  model_.add("unusual").add(model.knowledge.surprise.state().unusual).write();
}

void ModelWriter::committed() {
  held_ = next_;
  drift_parts_.committed();
  thetas_.merge(new_thetas_);
  for (const std::uint64_t version : dropped_thetas_) thetas_.erase(version);
  local_thetas_.resize(held_.local_gps);
  for (const auto& [i, theta_version] : new_local_thetas_) local_thetas_[i] = theta_version;
  new_local_thetas_.clear();
}

}  // namespace splitgp::store
