#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/columns.h"
#include "cli/stream/fingerprint.h"
#include "cli/stream/first_table.h"
#include "cli/stream/growing.h"
#include "splitgp/model_file.h"
#include "table/recipe.h"
#include "table/recipe_note.h"
#include "table/state.h"

namespace splitgp {

using table::kRecipeNote;

/// The model of a stream, and the recipe that makes its inputs from the columns of a table.
class StreamModel {
 public:
  enum class Kept {
    in_file,      ///< Commits are durable.
    in_memory,    ///< Commits do nothing; a file may be made later.
    for_testing,  ///< Loaded from a file, to be tested and not taught.
  };
  StreamModel(ModelFile file, table::Recipe recipe, Kept kept);

  /// Moves the model to a new file. REQUIRES: it is in memory and has learned nothing.
  void make_file(const std::filesystem::path& path, Durability durability);
  bool has_file() const { return kept_ != Kept::in_memory; }
  /// As the table calls them.
  const ObservationColumns& columns() const { return columns_; }
  const table::Recipe& recipe() const { return recipe_; }
  table::RecipeState& state() { return state_; }
  const table::RecipeState& state() const { return state_; }
  /// Writes what the recipe remembers into notes, for the next checkpoint.
  void save_state();

  /// The rows from which the recipe may still grow; null once it is settled.
  FirstTable* first() { return first_ ? &*first_ : nullptr; }
  /// The recipe was found from these.
  void begin_first(FirstTable first) { first_ = std::move(first); }
  /// Those of an earlier run, if the flags would find the same recipe from them again.
  void resume_first(const StreamFlags& flags);
  void settle();
  /// For an owner that keeps them itself.
  std::optional<FirstTable> take_first() { return std::exchange(first_, std::nullopt); }
  void become(Grown grown);
  /// The columns to read of an input with this header: those of the recipe, and then those that it
  /// may want when it grows.
  std::vector<std::string> wanted(const std::vector<std::string>& header) const;
  const SplittingGp& model() const { return file_.model(); }
  ModelFile& file() { return file_; }
  const ModelFile& file() const { return file_; }

  /// How `source` began when its rows were read; unknown in files of older versions.
  std::optional<Fingerprint> front_of(const std::string& source) const;
  void set_front(const std::string& source, const Fingerprint& front);

 private:
  ModelFile file_;
  table::Recipe recipe_;
  table::RecipeState state_;
  ObservationColumns columns_;
  Kept kept_;
  std::optional<FirstTable> first_;
};

}  // namespace splitgp
