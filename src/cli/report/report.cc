#include "cli/report/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/columns.h"
#include "cli/exit_code.h"
#include "cli/own_files.h"
#include "cli/recipe_of.h"
#include "cli/report/data.h"
#include "cli/report/page.h"
#include "cli/whole_file.h"
#include "splitgp/model_file.h"

namespace splitgp {
namespace {

using Eigen::Index;

// The pair of inputs that the map shows first, if the user chose one.
std::optional<InputPair> chosen_pair(const std::vector<std::string>& wanted,
                                     const std::vector<std::string>& columns) {
  if (wanted.empty()) return std::nullopt;
  const std::vector<std::string> found = find_columns("--inputs", wanted, columns);
  if (found.size() != 2) {
    throw CommandError(kUsage, fmt::format("--inputs: a map has two inputs, not {}", found.size()));
  }
  const auto number = [&columns](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) - columns.begin();
  };
  return InputPair{number(found[0]), number(found[1])};
}

std::vector<std::string> column_names(const table::Recipe& recipe) {
  std::vector<std::string> names;
  for (const table::Feature& column : recipe.features()) names.push_back(column.name);
  return names;
}

}  // namespace

int run_report(const ReportFlags& flags) {
  require_own_files(model_files(flags.model), {{"--output", flags.output}});
  LoadedModel loaded = load(flags.model);
  const std::optional<InputPair> pair = chosen_pair(flags.inputs, column_names(recipe_of(loaded)));
  // No number depends on the threads. More than a few would not be kept busy by one map.
  constexpr unsigned kMostThreads = 8;
  const unsigned processors = std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads);
  loaded.model.set_threads(static_cast<int>(processors));
  const std::string name = std::filesystem::path(flags.model).filename().string();
  write_whole_file(flags.output, report_page(report_data(loaded, name, pair)));
  // For a person; a script knows what it asked for, and standard output may be the page.
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  if (terminal && flags.output != "-") fmt::print(stderr, "wrote {}\n", flags.output);
  return kSuccess;
}

}  // namespace splitgp
