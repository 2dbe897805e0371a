#include "cli/serve/model_maker.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cli/exit_code.h"
#include "cli/stream/growing.h"
#include "cli/stream/open_model.h"
#include "io/column_places.h"
#include "serve/protocol/request_error.h"
#include "store/file_internals.h"

namespace splitgp {
namespace {

// A number for each column, if no names were given.
std::vector<std::string> names_of(const std::vector<std::string>& given, Eigen::Index count,
                                  const char* flag, std::string_view letter) {
  if (!given.empty()) {
    if (std::ssize(given) == count) return given;
    throw InvalidArgument(
        fmt::format("{} names {} columns; the rows have {}", flag, given.size(), count));
  }
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", letter, i + 1));
  return names;
}

// What is empty in the few rows of a first request would be left out for good, although later rows
// may have it. So somebody has to decide, by a value or by a flag.
void require_values(const table::Found& found) {
  if (found.empty.empty()) return;
  const std::string& column = found.empty.front();
  throw serve::RequestError(
      422, fmt::format("the column {0} has no value in the first rows, so nothing shows what it "
                       "holds: send a row that has one, or start the server with --as {0}=number, "
                       "--as {0}=category or --ignore {0}",
                       column))
      .field(column);
}

}  // namespace

std::unique_ptr<serve::ServedModel> ServeModelMaker::open() {
  if (!std::filesystem::exists(flags_.model)) {
    const std::filesystem::path folder = std::filesystem::absolute(flags_.model).parent_path();
    if (!std::filesystem::is_directory(folder)) {
      throw CommandError(kFailure, fmt::format("{}: cannot be created: {} is not a directory",
                                               flags_.model, folder.string()));
    }
    return nullptr;
  }
  std::optional<StreamModel> opened = open_model(flags_.stream);
  std::vector<std::string> columns = opened->columns().inputs;
  columns.insert(columns.end(), opened->columns().outputs.begin(), opened->columns().outputs.end());
  const StreamFlags& asked = flags_.stream;
  check_columns(opened->columns(), columns, asked.targets, asked.inputs, asked.ignored,
                flags_.model);
  table::Recipe recipe = opened->recipe();
  first_ = opened->take_first();
  return std::make_unique<serve::ServedModel>(std::move(opened->file()), std::move(recipe));
}

std::unique_ptr<serve::ServedModel> ServeModelMaker::make(table::Recipe recipe, bool keep_recipe) {
  StreamModel model = new_model(flags_.stream, recipe);
  if (keep_recipe) {
    if (first_) model.begin_first(std::move(*first_));
    model.make_file(flags_.model, durability_of(flags_.stream));
    first_ = model.take_first();
    return std::make_unique<serve::ServedModel>(std::move(model.file()), std::move(recipe));
  }
  ModelFile file = ModelFile::create(
      flags_.model, model.model(),
      {durability_of(flags_.stream), recipe.input_names(), recipe.target_names(), {}});
  return std::make_unique<serve::ServedModel>(std::move(file), std::move(recipe));
}

std::unique_ptr<serve::ServedModel> ServeModelMaker::from_rows(const serve::TableText& rows) {
  if (flags_.stream.targets.empty()) {
    throw InvalidArgument(
        "there is no model yet, and the server does not know which column is the target: it was "
        "started without --target");
  }
  FirstRows first;
  first.columns = rows.columns;
  first.complete = true;
  for (const std::vector<std::string>& texts : rows.rows) {
    if (first.rows.size() == table::kFirstRows) {
      first.complete = false;
      break;
    }
    LookedRow looked;
    looked.row.texts = texts;
    first.rows.push_back(std::move(looked));
  }
  // More rows will follow: what is the same in all of these may still change.
  first.complete = false;
  table::Found found = find_recipe(flags_.stream, rows.columns, first, "the first request");
  if (first.rows.size() < table::kFirstRows) {
    require_values(found);
    first_.emplace(rows.columns, first);
    if (first_->settled()) first_.reset();
  }
  return make(std::move(found.recipe), true);
}

void ServeModelMaker::add_row(const std::vector<std::string>& columns,
                              const std::vector<std::string>& texts, bool taken) {
  if (!first_) return;
  const ColumnPlaces places(columns);
  std::vector<std::string> kept;
  for (const std::string& column : first_->columns()) {
    const std::optional<std::size_t> place = places.find(column);
    kept.push_back(place ? texts[*place] : "");
  }
  first_->add(std::move(kept), taken);
}

serve::ModelMaker::Change ServeModelMaker::look_again(const serve::ServedModel& model) {
  if (!first_ || !first_->due()) return {};
  auto grown = grow(model.file.model(), model.recipe, *first_, flags_.stream);
  if (!grown) return {};
  // A std::function is copied, and a model is large.
  auto shared = std::make_shared<Grown>(std::move(*grown));
  return [shared](serve::ServedModel& served) {
    served.recipe = std::move(shared->found.recipe);
    served.state = std::move(shared->state);
    FileInternals::replace(served.file, std::move(shared->model), served.recipe.input_names());
    served.file.set_note(table::kRecipeNote, served.recipe.to_text());
  };
}

void ServeModelMaker::before_commit(ModelFile& file) {
  if (!first_) return;
  const auto set_note = [&file](const std::string& key, std::string text) {
    file.set_note(key, std::move(text));
  };
  const SplittingGp& model = file.model();
  if (first_->settled() || model.n_seen() != model.n_observations()) {
    first_->erase(set_note);
    first_.reset();
  } else {
    first_->save(set_note);
  }
}

std::unique_ptr<serve::ServedModel> ServeModelMaker::from_numbers(Eigen::Index inputs,
                                                                  Eigen::Index outputs) {
  return make(table::Recipe::plain(names_of(flags_.stream.inputs, inputs, "--inputs", "x"),
                                   names_of(flags_.stream.targets, outputs, "--target", "y"), '.'),
              false);
}

}  // namespace splitgp
