#include "cli/stream/open_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"

namespace splitgp {
namespace {

// The file is created later, with the first row. If that is bound to fail, it should fail now,
// before the files of predictions and rejects are overwritten.
void require_folder(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (::access(folder.c_str(), W_OK) == 0) return;
  throw CommandError(kFailure, fmt::format("{}: cannot be created: {}: {}", file, folder.string(),
                                           std::generic_category().message(errno)));
}

// Names that are all numbers, at least one of them with a fraction, are probably data.
bool looks_like_data(const std::vector<std::string>& columns) {
  const auto number = [](const std::string& column) {
    return column.find_first_not_of("0123456789.-+eE") == std::string::npos;
  };
  const auto fraction = [](const std::string& column) {
    return column.find('.') != std::string::npos;
  };
  return columns.size() > 1 && std::all_of(columns.begin(), columns.end(), number) &&
         std::any_of(columns.begin(), columns.end(), fraction);
}

void check_time_column(const StreamFlags& flags, const Options& options) {
  if (options.max_age > 0.0 && flags.time_column.empty()) {
    throw CommandError(kUsage, "--max-age: the age of a row needs --time-column");
  }
  if (options.max_age == 0.0 && !flags.time_column.empty()) {
    throw CommandError(kUsage, "--time-column: without --max-age nothing asks for a time");
  }
}

}  // namespace

Durability durability_of(const StreamFlags& flags) {
  return flags.durability == "full" ? Durability::full : Durability::normal;
}

std::optional<StreamModel> open_model(const StreamFlags& flags) {
  if (flags.model.empty()) {
    if (flags.test_only) throw CommandError(kUsage, "--test-only needs --model");
    if (flags.targets.empty()) throw CommandError(kUsage, "--target is missing");
    return std::nullopt;
  }
  if (!std::filesystem::exists(flags.model)) {
    if (flags.test_only) throw CommandError(kFailure, flags.model + ": no such file");
    if (flags.targets.empty()) {
      throw CommandError(kUsage, "--target is missing, and there is no model file " + flags.model);
    }
    return std::nullopt;
  }
  const auto prepare = [&flags](const Options& made_with, auto& model) {
    flags.model_flags.check_agreement(made_with, flags.model);
    if (flags.model_flags.threads) model.set_threads(*flags.model_flags.threads);
    if (flags.model_flags.awake_limit) model.set_awake_limit(*flags.model_flags.awake_limit);
  };
  if (flags.test_only) {
    LoadedModel loaded = load(flags.model);
    prepare(loaded.model.options(), loaded.model);
    ObservationColumns columns = columns_of(loaded);
    return StreamModel(ModelFile::in_memory(std::move(loaded.model)), std::move(columns),
                       StreamModel::Kept::for_testing);
  }
  ModelFileOptions options;
  options.durability = durability_of(flags);
  ModelFile file = ModelFile::open(flags.model, std::move(options));
  prepare(file.model().options(), file);
  check_time_column(flags, file.model().options());
  ObservationColumns columns = columns_of(file);
  return StreamModel(std::move(file), std::move(columns), StreamModel::Kept::in_file);
}

StreamModel new_model(const StreamFlags& flags, const std::vector<std::string>& columns,
                      const std::string& name) {
  if (!flags.input_flags.no_header && looks_like_data(columns)) {
    throw CommandError(
        kUsage,
        fmt::format("{}: the first line is all numbers; if it is data, use --no-header", name));
  }
  // The time is no input unless it is asked for.
  std::vector<std::string> ignored = flags.ignored;
  if (!flags.time_column.empty()) {
    const std::string time = find_columns("--time-column", {flags.time_column}, columns).front();
    if (flags.inputs.empty()) ignored.push_back(time);
  }
  ObservationColumns chosen = choose_columns(columns, flags.targets, flags.inputs, ignored);
  Options options = flags.model_flags.options();
  check_time_column(flags, options);
  if (options.hyperparameters && options.hyperparameters->length_scale.size() == 1) {
    Vector& length_scale = options.hyperparameters->length_scale;
    length_scale = Eigen::VectorXd::Constant(std::ssize(chosen.inputs), length_scale(0));
  }
  SplittingGp model(std::ssize(chosen.inputs), std::ssize(chosen.outputs), std::move(options));
  if (!flags.model.empty()) require_folder(flags.model);
  return StreamModel(ModelFile::in_memory(std::move(model)), std::move(chosen),
                     StreamModel::Kept::in_memory);
}

}  // namespace splitgp
