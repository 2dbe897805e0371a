#include "cli/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> find_columns(const std::string& flag,
                                      const std::vector<std::string>& wanted,
                                      const std::vector<std::string>& columns) {
  std::vector<std::string> result;
  for (const std::string& name : wanted) {
    std::string found = name;
    if (!contains(columns, name)) {
      std::size_t number = 0;
      const char* const end = name.data() + name.size();
      const auto [stop, error] = std::from_chars(name.data(), end, number);
      if (error != std::errc() || stop != end || number < 1 || number > columns.size()) {
        throw CommandError(kUsage, fmt::format("{}: there is no column '{}'; the columns are {}",
                                               flag, name, fmt::join(columns, ", ")));
      }
      found = columns[number - 1];
    }
    if (contains(result, found)) {
      throw CommandError(kUsage, fmt::format("{}: column '{}' is named twice", flag, found));
    }
    result.push_back(std::move(found));
  }
  return result;
}

ObservationColumns choose_columns(const std::vector<std::string>& columns,
                                  const std::vector<std::string>& targets,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& ignored) {
  ObservationColumns result;
  result.outputs = find_columns("--target", targets, columns);
  const std::vector<std::string> left_out = find_columns("--ignore", ignored, columns);
  for (const std::string& name : find_columns("--inputs", inputs, columns)) {
    if (contains(result.outputs, name)) {
      throw CommandError(kUsage, fmt::format("--inputs: column '{}' is a target as well", name));
    }
    if (!contains(left_out, name)) result.inputs.push_back(name);
  }
  for (const std::string& name : columns) {
    if (inputs.empty() && !contains(result.outputs, name) && !contains(left_out, name)) {
      result.inputs.push_back(name);
    }
  }
  if (result.inputs.empty()) throw CommandError(kUsage, "no column is left to be an input");
  std::vector<std::string> sorted = result.inputs;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw CommandError(kUsage, fmt::format("the header has column '{}' twice", *twice));
  }
  return result;
}

}  // namespace splitgp
