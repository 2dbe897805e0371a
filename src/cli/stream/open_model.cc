#include "cli/stream/open_model.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/recipe_of.h"

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

// A column that the header has twice can only be left out.
void require_once(table::Wishes& wishes, const std::vector<std::string>& columns) {
  const ColumnPlaces places(columns);
  std::erase_if(wishes.as, [&](const auto& one) {
    return one.second == table::As::ignore && places.repeated(one.first);
  });
  for (const auto& [column, as] : wishes.as) require_once(places, column);
  for (const table::Lags& lags : wishes.lags) require_once(places, lags.column);
  require_once(places, wishes.by);
}

void check_time(const table::Recipe& recipe, const Options& options) {
  if (options.max_age > 0.0 && recipe.times().empty()) {
    throw CommandError(kUsage,
                       "--max-age: the age of a row needs a time, and no column was taken for one; "
                       "name it with --time COL");
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
  const auto prepare = [&flags](SplittingGp& model) {
    flags.model_flags.check_agreement(model.options(), flags.model);
    if (flags.model_flags.threads) model.set_threads(*flags.model_flags.threads);
    if (flags.model_flags.factor_cache_limit)
      model.set_factor_cache_limit(*flags.model_flags.factor_cache_limit);
  };
  if (flags.test_only) {
    LoadedModel loaded = load(flags.model);
    prepare(loaded.model);
    table::Recipe recipe = recipe_of(loaded, flags.input_flags);
    ModelFile file = ModelFile::in_memory(std::move(loaded.model));
    for (auto& [key, text] : loaded.notes) {
      if (key.starts_with("table_")) file.set_note(key, std::move(text));
    }
    return StreamModel(std::move(file), std::move(recipe), StreamModel::Kept::for_testing);
  }
  ModelFileOptions options;
  options.durability = durability_of(flags);
  ModelFile file = ModelFile::open(flags.model, std::move(options));
  prepare(file.model());
  table::Recipe recipe = recipe_of(file, flags.input_flags);
  check_time(recipe, file.model().options());
  StreamModel model(std::move(file), std::move(recipe), StreamModel::Kept::in_file);
  model.resume_first(flags);
  return model;
}

table::Found find_recipe(const StreamFlags& flags, const std::vector<std::string>& columns,
                         const FirstRows& rows, const std::string& name) {
  if (!flags.input_flags.no_header && looks_like_data(columns)) {
    throw CommandError(
        kUsage,
        fmt::format("{}: the first line is all numbers; if it is data, use --no-header", name));
  }
  table::Wishes wishes = flags.table_flags.wishes(columns);
  // A column may be ignored in two ways.
  std::vector<std::string> ignored = flags.ignored;
  const std::set<std::string> named(ignored.begin(), ignored.end());
  for (const auto& [column, as] : wishes.as) {
    if (as == table::As::ignore && !named.contains(column)) ignored.push_back(column);
  }
  require_once(wishes, columns);
  ObservationColumns chosen =
      choose_columns(columns, flags.targets, flags.inputs, ignored, !wishes.lags.empty());
  wishes.targets = chosen.outputs;
  wishes.ignored = find_columns("--ignore", flags.ignored, columns);
  if (!flags.inputs.empty()) wishes.inputs = chosen.inputs;
  if (!flags.input_flags.decimal.empty()) wishes.decimal_mark = flags.input_flags.decimal.front();
  // The order of the inputs is that of --inputs, if it is given.
  const ColumnPlaces places(rows.columns);
  std::vector<std::string> order;
  std::vector<std::size_t> place;
  std::vector<bool> ordered(rows.columns.size(), false);
  const auto append = [&](std::size_t at) {
    if (ordered[at]) return;
    ordered[at] = true;
    order.push_back(rows.columns[at]);
    place.push_back(at);
  };
  for (const std::string& column : wishes.inputs) append(places.find(column).value());
  for (std::size_t at = 0; at < rows.columns.size(); ++at) append(at);
  table::RecipeFinder finder(order, std::move(wishes));
  std::vector<table::Cell> cells(order.size());
  for (const LookedRow& row : rows.rows) {
    if (row.outcome != RowReader::Next::row) continue;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      cells[k] = table::Cell::of(row.row.texts[place[k]]);
    }
    finder.add(cells);
  }
  if (rows.complete) finder.set_complete();
  return finder.find();
}

StreamModel new_model(const StreamFlags& flags, table::Recipe recipe) {
  Options options = flags.model_flags.options();
  check_time(recipe, options);
  const auto inputs = std::ssize(recipe.input_names());
  if (options.hyperparameters && options.hyperparameters->length_scale.size() == 1) {
    Vector& length_scale = options.hyperparameters->length_scale;
    length_scale = Eigen::VectorXd::Constant(inputs, length_scale(0));
  }
  // The columns of a category's code are one thing, and so are a sine and its cosine.
  if (options.length_scale_groups.empty()) {
    options.length_scale_groups = recipe.length_scale_groups();
  }
  SplittingGp model(inputs, std::ssize(recipe.target_names()), std::move(options));
  if (!flags.model.empty()) require_folder(flags.model);
  return StreamModel(ModelFile::in_memory(std::move(model)), std::move(recipe),
                     StreamModel::Kept::in_memory);
}

}  // namespace splitgp
