#include "store/running_rows.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "store/file_kind.h"
#include "store/number_list.h"

namespace splitgp::store {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

std::string calibration_of(std::size_t output) { return "calibration " + std::to_string(output); }
// Of predictions that reach further than the next row.
std::string reach_of(std::size_t output) { return "reach " + std::to_string(output); }

// Of the owners' innovations, if the answers are not their own.
std::string owners_of(std::size_t output) { return "owners " + std::to_string(output); }

constexpr const char* kExperts = "experts";
constexpr const char* kRecent = "surprise recent";
constexpr const char* kUsual = "surprise usual";

void write(TableWriter& rows, const std::string& name, const VectorXd& numbers) {
  const std::string text = to_text(numbers);
  rows.add(name).add(text).write();
}

}  // namespace

void write_running(TableWriter& rows, const ModelState& model) {
  const auto list = [](const std::vector<double>& numbers) {
    return VectorXd::Map(numbers.data(), static_cast<Index>(numbers.size()));
  };
  for (std::size_t o = 0; o < model.monitor.calibrators.size(); ++o) {
    const ReachCalibrator& calibrator = model.monitor.calibrators[o];
    write(rows, calibration_of(o), list(calibrator.next.numbers()));
    write(rows, reach_of(o), list(calibrator.numbers()));
    if (model.monitor.experts) write(rows, owners_of(o), list(calibrator.owners.numbers()));
  }
  if (model.monitor.experts) write(rows, kExperts, list(model.monitor.experts->numbers()));
  write(rows, kRecent, model.knowledge.surprise.state().recent);
  write(rows, kUsual, model.knowledge.surprise.state().usual);
}

void read_running(const Database& database, ModelState& model) {
  if (format_version(database) < 2) return;
  std::map<std::string, VectorXd, std::less<>> lists;
  TableReader rows(database, "running", "name");
  while (rows.next()) {
    std::string name(rows.text());
    const std::optional<VectorXd> numbers = to_vector(rows.text());
    if (!numbers || !numbers->allFinite()) rows.fail("numbers is not a list of finite numbers");
    rows.end_row();
    if (!lists.emplace(std::move(name), *numbers).second) rows.fail("it appears twice");
  }
  const auto list = [&](const std::string& name, Index size) -> const VectorXd& {
    const auto found = lists.find(name);
    if (found == lists.end() || found->second.size() != size) {
      throw damaged(database.path(),
                    "table running has no " + name + " of " + std::to_string(size) + " numbers");
    }
    return found->second;
  };
  for (std::size_t o = 0; o < model.monitor.calibrators.size(); ++o) {
    const VectorXd& numbers = list(calibration_of(o), Index{Calibrator::kNumbers});
    if (!(numbers.head(2).minCoeff() >= 0.0 && numbers.head(2).maxCoeff() < 1e15)) {
      throw damaged(database.path(), "table running: " + calibration_of(o) + " has no counts");
    }
    ReachCalibrator& calibrator = model.monitor.calibrators[o];
    calibrator.next = Calibrator::restore(std::span(numbers.data(), Calibrator::kNumbers));
    if (format_version(database) < 5) continue;
    const VectorXd& reach = list(reach_of(o), Index{ReachCalibrator::kNumbers});
    calibrator.restore(std::span(reach.data(), ReachCalibrator::kNumbers));
    if (!model.monitor.experts) continue;
    const VectorXd& owners = list(owners_of(o), Index{Calibrator::kNumbers});
    calibrator.owners = Calibrator::restore(std::span(owners.data(), Calibrator::kNumbers));
  }
  if (model.monitor.experts) {
    Experts& experts = *model.monitor.experts;
    const VectorXd& numbers = list(kExperts, static_cast<Index>(experts.n_numbers()));
    experts.restore(std::span(numbers.data(), experts.n_numbers()));
  }
  Surprise::State surprise = model.knowledge.surprise.state();
  surprise.recent = list(kRecent, model.outputs);
  surprise.usual = list(kUsual, model.outputs);
  model.knowledge.surprise = Surprise(std::move(surprise));
}

}  // namespace splitgp::store
