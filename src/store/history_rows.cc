#include "store/history_rows.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/options/validate.h"
#include "splitgp/error.h"
#include "splitgp/options.h"
#include "store/file_kind.h"
#include "store/number_list.h"

namespace splitgp::store {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Eigen::VectorXd read_vector(TableReader& rows, const char* column) {
  const std::optional<Eigen::VectorXd> numbers = to_vector(rows.text());
  if (!numbers) rows.fail(std::string(column) + " is not a list of numbers");
  return *numbers;
}

// One sentence per line.
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += text.empty() ? line : "\n" + line;
  return text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

}  // namespace

void write_theta(TableWriter& rows, const Hyperparameters& theta, std::uint64_t version) {
  const std::string length_scale = to_text(theta.length_scale);
  const std::string mean = to_text(theta.mean);
  const std::string output_scale = to_text(theta.output_scale);
  rows.add(version).add(to_string(theta.kernel)).add(length_scale);
  rows.add(theta.signal_variance).add(theta.noise_variance).add(theta.shape);
  rows.add(mean).add(output_scale).write();
}

void write_trend(TableWriter& rows, const Hyperparameters& theta, std::uint64_t version) {
  const std::string trend = to_text(theta.trend_slope);
  const std::string origin = to_text(theta.trend_origin);
  rows.add(version).add(trend).add(origin).add(theta.trend_reach).write();
}

void write_trend_range(TableWriter& rows, const Hyperparameters& theta, std::uint64_t version) {
  const std::string range = to_text(theta.trend_range);
  rows.add(version).add(range).write();
}

namespace {

// θ by version, with nothing but its trend.
std::map<std::uint64_t, Hyperparameters> read_trends(const Database& database) {
  std::map<std::uint64_t, Hyperparameters> trends;
  if (format_version(database) < 2) return trends;
  TableReader rows(database, "theta_trend", "version");
  while (rows.next()) {
    Hyperparameters theta;
    const std::uint64_t version = rows.count();
    theta.trend_slope = read_vector(rows, "trend_slope");
    theta.trend_origin = read_vector(rows, "trend_origin");
    theta.trend_reach = rows.real();
    rows.end_row();
    if (!trends.emplace(version, std::move(theta)).second) rows.fail("it appears twice");
  }
  if (format_version(database) < 5) return trends;  // they grow without end
  TableReader ranges(database, "theta_trend_range", "version");
  while (ranges.next()) {
    const auto trend = trends.find(ranges.count());
    if (trend == trends.end()) ranges.fail("there is no such trend");
    trend->second.trend_range = read_vector(ranges, "trend_range");
    ranges.end_row();
  }
  return trends;
}

}  // namespace

ThetaVersions read_thetas(const Database& database, const LengthScaleGroups& groups,
                          Eigen::Index outputs) {
  std::map<std::uint64_t, Hyperparameters> trends = read_trends(database);
  ThetaVersions thetas;
  TableReader rows(database, "theta", "version");
  while (rows.next()) {
    const std::uint64_t version = rows.count();
    const auto trend = trends.find(version);
    Hyperparameters theta = trend == trends.end() ? Hyperparameters{} : std::move(trend->second);
    try {
      theta.kernel = parse<KernelFamily>("kernel", rows.text());
      theta.length_scale = read_vector(rows, "length_scale");
      theta.signal_variance = rows.real();
      theta.noise_variance = rows.real();
      theta.shape = rows.real();
      theta.mean = read_vector(rows, "mean");
      theta.output_scale = read_vector(rows, "output_scale");
      rows.end_row();
      theta = complete(std::move(theta), groups.inputs(), outputs);
      check_tied(theta, groups);
    } catch (const InvalidArgument& error) {
      rows.fail(error.what());
    }
    if (!thetas.emplace(version, std::make_shared<const Theta>(theta, version)).second) {
      rows.fail("it appears twice");
    }
  }
  return thetas;
}

void write_training(TableWriter& rows, std::uint64_t number, const TrainResult& result) {
  const std::string bounds = joined(result.bounds_reached);
  rows.add(number).add(result.sequence).add(std::int64_t{result.adopted});
  rows.add(result.theta_version).add(result.objective_before).add(result.objective_after);
  rows.add(std::int64_t{result.record.searched}).add(result.record.kernel_margin).add(bounds);
  rows.add(std::int64_t{result.observations}).add(std::int64_t{result.record.local_gps});
  rows.add(std::int64_t{result.record.starts}).add(std::int64_t{result.record.evaluations});
  rows.add(result.seconds).write();
}

void write_training_more(TableWriter& rows, std::uint64_t number, const TrainResult& result) {
  rows.add(number).add(std::int64_t{result.surprised}).add(result.record.regime);
  rows.add(std::int64_t{0}).add(result.record.forward_without_trend);
  rows.add(result.record.forward_with_trend).add(std::int64_t{result.record.trend_won}).write();
}

namespace {

// Of the trainings that have one: those of an older format do not.
void read_training_more(const Database& database, std::int64_t first,
                        std::vector<TrainResult>& trainings) {
  if (format_version(database) < 2) return;
  TableReader rows(database, "training_more", "number");
  while (rows.next()) {
    const std::int64_t number = rows.integer("number", first, first + std::ssize(trainings) - 1);
    TrainResult& result = trainings[static_cast<std::size_t>(number - first)];
    result.surprised = rows.flag("surprised");
    result.record.regime = rows.count();
    rows.flag("returned");  // what only an earlier version had
    result.record.forward_without_trend = rows.real();
    result.record.forward_with_trend = rows.real();
    result.record.trend_won = rows.flag("trend_won");
    rows.end_row();
  }
}

}  // namespace

std::vector<TrainResult> read_trainings(const Database& database, const ThetaVersions& thetas,
                                        std::uint64_t first) {
  constexpr int kMostInt = std::numeric_limits<int>::max();
  std::vector<TrainResult> trainings;
  TableReader rows(database, "training", "number");
  while (rows.next()) {
    TrainResult result;
    const std::int64_t next = static_cast<std::int64_t>(first) + std::ssize(trainings);
    rows.integer("number", next, next);
    result.sequence = rows.count();
    result.adopted = rows.flag("adopted");
    const auto theta = thetas.find(rows.count());
    if (theta == thetas.end()) rows.fail("its theta_version is not in table theta");
    result.theta = theta->second->values;
    result.theta_version = theta->first;
    result.objective_before = rows.real();
    result.objective_after = rows.real();
    result.record.searched = rows.flag("searched");
    result.record.kernel_margin = rows.real();
    result.bounds_reached = lines_of(rows.text());
    result.observations = rows.integer("observations", 0, kMost);
    result.record.local_gps = rows.integer("local_gps", 0, kMost);
    result.record.starts = static_cast<int>(rows.integer("starts", 0, kMostInt));
    result.record.evaluations = static_cast<int>(rows.integer("evaluations", 0, kMostInt));
    result.seconds = rows.real();
    rows.end_row();
    trainings.push_back(std::move(result));
  }
  read_training_more(database, static_cast<std::int64_t>(first), trainings);
  return trainings;
}

}  // namespace splitgp::store
