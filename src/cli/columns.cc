#include "cli/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>

#include "cli/exit_code.h"
#include "io/printable.h"
#include "splitgp/model_file.h"

namespace splitgp {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// For a message; kept short, because the header of a binary file can be huge.
std::string listed(const std::vector<std::string>& names, const char* separator) {
  constexpr std::size_t kMost = 100;
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < std::min(names.size(), kMost); ++k) {
    texts.push_back(shortened(names[k]));
  }
  if (names.size() > kMost) texts.push_back("…");
  return fmt::format("{}", fmt::join(texts, separator));
}

// The column that has this number, from 1; null if there is none.
const std::string* numbered_column(const std::string& text,
                                   const std::vector<std::string>& columns) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > columns.size()) return nullptr;
  return &columns[number - 1];
}

// Like find_columns(), but the model's names take precedence, and a name found nowhere is kept: an
// input may lack columns that earlier inputs had.
std::vector<std::string> known_columns(const std::vector<std::string>& wanted,
                                       const ObservationColumns& kept,
                                       const std::vector<std::string>& columns) {
  std::vector<std::string> result;
  for (const std::string& name : wanted) {
    const bool named =
        contains(kept.inputs, name) || contains(kept.outputs, name) || contains(columns, name);
    const std::string* const numbered = named ? nullptr : numbered_column(name, columns);
    result.push_back(numbered != nullptr ? *numbered : name);
  }
  return result;
}

void require_same_columns(const char* flag, std::vector<std::string> asked,
                          std::vector<std::string> kept, const std::string& file) {
  const std::string message =
      fmt::format("{} {}: the model in {} was made with {}, which cannot change", flag,
                  listed(asked, ","), file, listed(kept, ","));
  // The order of names in a flag does not matter.
  std::sort(asked.begin(), asked.end());
  std::sort(kept.begin(), kept.end());
  if (asked != kept) throw CommandError(kUsage, message);
}

}  // namespace

std::string find_column(const std::string& flag, const std::string& wanted,
                        const std::vector<std::string>& columns, const ColumnPlaces& places) {
  if (places.has(wanted)) return wanted;
  const std::string* const numbered = numbered_column(wanted, columns);
  if (numbered != nullptr) return *numbered;
  throw CommandError(kUsage, fmt::format("{}: there is no column {}; the columns are {}", flag,
                                         shown(wanted), listed(columns, ", ")));
}

std::vector<std::string> find_columns(const std::string& flag,
                                      const std::vector<std::string>& wanted,
                                      const std::vector<std::string>& columns) {
  std::vector<std::string> result;
  if (wanted.empty()) return result;
  const ColumnPlaces places(columns);
  std::unordered_set<std::string> named;
  for (const std::string& name : wanted) {
    std::string found = find_column(flag, name, columns, places);
    if (!named.insert(found).second) {
      throw CommandError(kUsage, fmt::format("{}: column {} is named twice", flag, shown(found)));
    }
    result.push_back(std::move(found));
  }
  return result;
}

void require_once(const ColumnPlaces& places, const std::string& name) {
  if (!places.repeated(name)) return;
  throw CommandError(kUsage, fmt::format("the header has column {} twice", shown(name)));
}

ObservationColumns choose_columns(const std::vector<std::string>& columns,
                                  const std::vector<std::string>& targets,
                                  const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& ignored,
                                  bool may_have_no_inputs) {
  ObservationColumns result;
  result.outputs = find_columns("--target", targets, columns);
  const std::vector<std::string> ignored_names = find_columns("--ignore", ignored, columns);
  const std::unordered_set<std::string> left_out(ignored_names.begin(), ignored_names.end());
  for (const std::string& name : find_columns("--inputs", inputs, columns)) {
    if (contains(result.outputs, name)) {
      throw CommandError(kUsage, fmt::format("--inputs: column {} is also a target", shown(name)));
    }
    if (!left_out.contains(name)) result.inputs.push_back(name);
  }
  for (const std::string& name : columns) {
    if (inputs.empty() && !contains(result.outputs, name) && !left_out.contains(name)) {
      result.inputs.push_back(name);
    }
  }
  if (result.inputs.empty() && !may_have_no_inputs)
    throw CommandError(kUsage, "no columns are left to be inputs");
  const ColumnPlaces places(columns);
  for (const std::vector<std::string>* used : {&result.outputs, &result.inputs}) {
    for (const std::string& name : *used) require_once(places, name);
  }
  return result;
}

void check_columns(const ObservationColumns& kept, const std::vector<std::string>& columns,
                   const std::vector<std::string>& targets, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& ignored, const std::string& file) {
  if (!targets.empty()) {
    require_same_columns("--target", known_columns(targets, kept, columns), kept.outputs, file);
  }
  const std::vector<std::string> left_out = known_columns(ignored, kept, columns);
  if (!inputs.empty()) {
    std::vector<std::string> asked = known_columns(inputs, kept, columns);
    std::erase_if(asked, [&](const std::string& name) { return contains(left_out, name); });
    require_same_columns("--inputs", std::move(asked), kept.inputs, file);
  }
  for (const std::string& name : left_out) {
    const bool input = contains(kept.inputs, name);
    // As when a model is made, a target may also be ignored.
    if (!input && !(targets.empty() && contains(kept.outputs, name))) continue;
    throw CommandError(
        kUsage,
        fmt::format("--ignore {}: the model in {} was made with it as {}, which cannot change",
                    shortened(name), file, input ? "an input" : "a target"));
  }
}

namespace {

ObservationColumns columns_of(const SplittingGp& model, std::vector<std::string> inputs,
                              std::vector<std::string> outputs) {
  Eigen::Index number = 0;
  const auto fill = [&number](std::vector<std::string>& names, Eigen::Index count) {
    if (std::ssize(names) == count) {
      number += count;
      return;
    }
    names.clear();
    for (Eigen::Index k = 0; k < count; ++k) names.push_back(std::to_string(++number));
  };
  fill(inputs, model.n_inputs());
  fill(outputs, model.n_outputs());
  return {std::move(inputs), std::move(outputs)};
}

}  // namespace

ObservationColumns columns_of(const ModelFile& file) {
  return columns_of(file.model(), file.input_names(), file.output_names());
}

ObservationColumns columns_of(const LoadedModel& loaded) {
  return columns_of(loaded.model, loaded.input_names, loaded.output_names);
}

}  // namespace splitgp
