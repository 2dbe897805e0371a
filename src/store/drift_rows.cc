#include "store/drift_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/options/option_table.h"
#include "splitgp/error.h"
#include "store/drift_parts.h"
#include "store/file_kind.h"
#include "store/model_numbers.h"
#include "store/number_list.h"

namespace splitgp::store {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// What a group knows about one output: the mean square, its rows, and four numbers for each sum.
constexpr Index kWatchNumbers = 2 + 4 * static_cast<Index>(Drift::kKinds);

// Format 3 had a row for each group, table drift_group, with what it knew as a list of numbers.
// Sequence numbers and counts of rows are doubles there, which hold them exactly up to 2⁵³.
bool to_count(double number, std::uint64_t& count) {
  if (!(number >= 0.0 && number <= 0x1p53)) return false;
  count = static_cast<std::uint64_t>(number);
  return true;
}

bool to_watch(const double* numbers, Drift::Watch& watch) {
  watch.scores.value = *numbers++;
  bool good = watch.scores.value >= 0.0 && to_count(*numbers++, watch.scores.rows);
  for (Cusum& sum : watch.sums) {
    sum.evidence = *numbers++;
    sum.error = *numbers++;
    good = good && sum.evidence >= 0.0 && to_count(*numbers, sum.rows) &&
           to_count(*(numbers + 1), sum.since);
    numbers += 2;
  }
  return good;
}

void read_groups_of_format_3(const Database& database, Drift& drift, Index local_gps) {
  std::vector<Drift::Watch> watches(static_cast<std::size_t>(drift.outputs()));
  TableReader rows(database, "drift_group", "number");
  Index next = 0;
  while (rows.next()) {
    if (rows.integer() != next++) rows.fail("drift group " + std::to_string(next) + " is missing");
    Drift::Group group;
    group.used = rows.flag("used");
    group.parent = rows.optional_integer().value_or(Drift::kNone);
    group.local_gp = rows.optional_integer().value_or(Drift::kNone);
    group.last = static_cast<std::uint64_t>(rows.integer("last", 0, kMostCounted));
    group.alarmed = rows.optional_integer().value_or(Drift::kNone);
    const std::optional<VectorXd> numbers = to_vector(rows.text());
    rows.end_row();
    if (group.alarmed < Drift::kNone ||
        group.alarmed >= drift.outputs() * static_cast<Index>(Drift::kKinds)) {
      rows.fail("alarmed is no detector");
    }
    bool good =
        numbers && numbers->allFinite() && numbers->size() == drift.outputs() * kWatchNumbers;
    for (Index o = 0; good && o < drift.outputs(); ++o) {
      good = to_watch(numbers->data() + o * kWatchNumbers, watches[static_cast<std::size_t>(o)]);
    }
    if (!good) rows.fail("numbers are not what detectors know");
    drift.restore(group, watches);
  }
  if (!drift.restored(local_gps)) {
    throw damaged(database.path(), "table drift_group does not have a group for each local GP");
  }
}

Vector read_place(TableReader& rows, const char* column, Index size) {
  const std::optional<VectorXd> numbers = to_vector(rows.text());
  if (!numbers || numbers->size() != size || !numbers->allFinite()) {
    rows.fail(std::string(column) + " is not a list of " + std::to_string(size) + " numbers");
  }
  return *numbers;
}

void read_alarms(const Database& database, ModelState& model) {
  std::map<std::uint64_t, Alarm> alarms;
  TableReader rows(database, "alarm", "place");
  while (rows.next()) {
    const std::uint64_t place = rows.count();
    const auto number = static_cast<std::uint64_t>(rows.integer("number", 0, kMostCounted));
    Alarm alarm;
    try {
      alarm.sequence = static_cast<std::uint64_t>(rows.integer("sequence", 0, kMostCounted));
      alarm.change_point =
          static_cast<std::uint64_t>(rows.integer("change_point", 0, kMostCounted));
      alarm.output = rows.integer("output", 0, model.outputs - 1);
      alarm.kind = parse<DriftKind>("kind", rows.text());
      alarm.whole_stream = rows.flag("whole_stream");
      alarm.local_gp = rows.integer("local_gp", 0, kMostCounted);
      alarm.local_gps = rows.integer("local_gps", 0, kMostCounted);
      alarm.lower = read_place(rows, "lower", model.inputs);
      alarm.upper = read_place(rows, "upper", model.inputs);
      alarm.rows = static_cast<std::uint64_t>(rows.integer("rows", 0, kMostCounted));
      alarm.size = rows.real();
      alarm.size_in_noise = rows.real();
      alarm.forgotten = static_cast<std::uint64_t>(rows.integer("forgotten", 0, kMostCounted));
      rows.end_row();
    } catch (const InvalidArgument& error) {
      rows.fail(error.what());
    }
    if (place != number % RecentAlarms::kMost || !alarms.emplace(number, std::move(alarm)).second) {
      rows.fail("it is out of place");
    }
  }
  const ModelNumbers numbers(database);
  model.monitor.n_alarms = numbers.count("alarms");
  model.monitor.rejected = numbers.count("rejected");
  const std::uint64_t held = std::min<std::uint64_t>(model.monitor.n_alarms, RecentAlarms::kMost);
  if (alarms.size() != held ||
      (held > 0 && alarms.begin()->first != model.monitor.n_alarms - held) ||
      (held > 0 && alarms.rbegin()->first != model.monitor.n_alarms - 1)) {
    throw damaged(database.path(), "table alarm does not have the latest alarms");
  }
  for (auto& [number, alarm] : alarms) model.monitor.alarms.push_back(std::move(alarm));
}

}  // namespace

void write_alarms(TableWriter& rows, const ModelState& model, std::uint64_t first) {
  const std::uint64_t oldest = model.monitor.n_alarms - model.monitor.alarms.size();
  for (std::uint64_t number = std::max(first, oldest); number < model.monitor.n_alarms; ++number) {
    const Alarm& alarm = model.monitor.alarms[number - oldest];
    const std::string lower = to_text(alarm.lower);
    const std::string upper = to_text(alarm.upper);
    rows.add(number % RecentAlarms::kMost).add(number).add(alarm.sequence).add(alarm.change_point);
    rows.add(std::int64_t{alarm.output}).add(to_string(alarm.kind));
    rows.add(std::int64_t{alarm.whole_stream}).add(std::int64_t{alarm.local_gp});
    rows.add(std::int64_t{alarm.local_gps}).add(lower).add(upper).add(alarm.rows);
    rows.add(alarm.size).add(alarm.size_in_noise).add(alarm.forgotten).write();
  }
}

void read_drift(const Database& database, ModelState& model) {
  const std::uint32_t format = format_version(database);
  if (format >= 4) {
    read_drift_parts(database, model.monitor.drift, model.partition.size());
  } else if (format == 3) {
    read_groups_of_format_3(database, model.monitor.drift, model.partition.size());
  }
  if (format >= 3) return read_alarms(database, model);
  if (model.partition.size() > 0) model.monitor.drift.start();
  for (const SplitRecord& split : model.partition.split_history) {
    model.monitor.drift.split(split.parent, split.child);
  }
}

}  // namespace splitgp::store
