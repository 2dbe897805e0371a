#include "cli/recipe_of.h"

#include <optional>
#include <string>

#include "cli/columns.h"
#include "splitgp/error.h"

namespace splitgp {
namespace {

table::Recipe recipe_from(const std::optional<std::string>& note, const SplittingGp& model,
                          const ObservationColumns& columns, const InputFlags& flags) {
  if (!note) {
    return table::Recipe::plain(columns.inputs, columns.outputs,
                                flags.decimal.empty() ? '.' : flags.decimal.front());
  }
  table::Recipe recipe = table::Recipe::from_text(*note);
  if (std::ssize(recipe.input_names()) != model.n_inputs() ||
      std::ssize(recipe.target_names()) != model.n_outputs()) {
    throw FileError("the recipe in the model file does not fit the model's inputs and outputs");
  }
  if (flags.decimal.empty() || flags.decimal.front() == recipe.parts().decimal_mark) return recipe;
  table::Recipe::Parts parts = recipe.parts();
  parts.decimal_mark = flags.decimal.front();
  return table::Recipe(std::move(parts));
}

}  // namespace

table::Recipe recipe_of(const ModelFile& file, const InputFlags& flags) {
  return recipe_from(file.note("table_recipe"), file.model(), columns_of(file), flags);
}

table::Recipe recipe_of(const LoadedModel& loaded, const InputFlags& flags) {
  const auto note = loaded.notes.find("table_recipe");
  return recipe_from(note == loaded.notes.end() ? std::nullopt : std::optional(note->second),
                     loaded.model, columns_of(loaded), flags);
}

}  // namespace splitgp
