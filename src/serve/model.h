#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "splitgp/model_file.h"
#include "table/cell.h"
#include "table/recipe.h"
#include "table/recipe_note.h"
#include "table/state.h"
#include "table/take_row.h"

namespace splitgp::serve {

/// The model that is served, and the recipe that makes its inputs from the rows of a table.
struct ServedModel {
  ServedModel(ModelFile in_file, table::Recipe its_recipe)
      : file(std::move(in_file)),
        recipe(std::move(its_recipe)),
        state(table::RecipeState::load(recipe,
                                       [this](const std::string& key) { return file.note(key); })),
        keeps_state(file.note(table::kRecipeNote).has_value()) {}

  bool interval_known() const { return table::interval_known(file.model()); }
  /// Writes what the recipe remembers into notes. A model without a recipe has nothing to remember.
  void save_state() {
    if (!keeps_state) return;
    state.save(
        [this](const std::string& key, std::string text) { file.set_note(key, std::move(text)); });
  }

  ModelFile file;
  table::Recipe recipe;
  table::RecipeState state;
  bool keeps_state;
};

/// The rows of a request with a table, as texts.
struct TableText {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Makes the model and its file when the first rows come, if there was none.
class ModelMaker {
 public:
  virtual ~ModelMaker() = default;
  /// From rows of a table: the recipe is found from them. Throws Error if that cannot be.
  virtual std::unique_ptr<ServedModel> from_rows(const TableText& rows) = 0;
  /// For rows of numbers.
  virtual std::unique_ptr<ServedModel> from_numbers(Eigen::Index inputs, Eigen::Index outputs) = 0;

  /// A recipe that was found from few rows grows with those that follow. A row of a table came, and
  /// was taken or rejected.
  virtual void add_row(const std::vector<std::string>& /*columns*/,
                       const std::vector<std::string>& /*texts*/, bool /*taken*/) {}
  /// Looks at the columns again if enough rows came since. Returns how the model changes, which has
  /// to be done while nobody reads it; empty if it stays.
  using Change = std::function<void(ServedModel&)>;
  virtual Change look_again(const ServedModel& /*model*/) { return {}; }
  /// Writes into notes what these need after a restart.
  virtual void before_commit(ModelFile& /*file*/) {}
};

}  // namespace splitgp::serve
