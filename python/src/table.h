#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model.h"
#include "splitgp/results.h"
#include "table/recipe.h"
#include "table/state.h"
#include "table/take_row.h"
#include "table_cells.h"

namespace splitgp::python {

using table::Fate;

/// What became of the rows of a table, and what the model said of each before it learned it; NaN
/// where it said nothing.
struct TableRun {
  explicit TableRun(std::size_t rows, Eigen::Index outputs);
  void set(std::size_t row, const Prediction& prediction);

  std::vector<Fate> fates;
  Prediction predictions;
  std::vector<std::pair<std::size_t, std::string>> reasons;  // of rows that were not answered
};

/// A recipe and what it remembers, beside the model that it makes inputs for.
///
/// Lock order: the interpreter's, which is released, the model's, this one's.
class Table {
 public:
  explicit Table(table::Recipe recipe) : recipe_(std::move(recipe)), state_(recipe_) {}
  /// From the notes of a model file, which has a recipe.
  explicit Table(std::map<std::string, std::string> notes);

  const table::Recipe& recipe() const { return recipe_; }
  /// How often a gap was filled, by column.
  std::vector<std::pair<std::string, std::uint64_t>> filled() const;

  /// Predicts each row and learns it if its target is known, as `splitgp stream` does.
  TableRun stream(Model& model, TableCells& cells);
  /// The inputs and targets of the rows, for a model that is elsewhere: one column for each row
  /// whose fate is `learned`. As stream(), without the model.  REQUIRES: no horizon.
  struct Inputs {
    Matrix inputs;
    Matrix targets;
    std::vector<Fate> fates;
    std::vector<std::pair<std::size_t, std::string>> reasons;
  };
  Inputs inputs(TableCells& cells);

  /// Predicts the rows as they would come next, as `splitgp predict` does, or so many rows ahead,
  /// one number for all of them or one for each; changes nothing.
  TableRun predict(const Model& model, TableCells& cells,
                   const Eigen::Ref<const Eigen::VectorXd>& ahead) const;

  /// For a model file.
  std::map<std::string, std::string> notes();
  std::unique_ptr<Table> copy() const;

 private:
  Table(const table::Recipe& recipe, const table::RecipeState& state,
        std::map<std::string, std::string> notes)
      : recipe_(recipe), state_(state), notes_(std::move(notes)) {}
  table::RecipeState state_now() const;

  table::Recipe recipe_;
  table::RecipeState state_;
  std::map<std::string, std::string> notes_;  // as of the last notes(), or as loaded
  table::Applied applied_;
  table::TakenRow taken_;
  mutable std::mutex mutex_;
};

void bind_table(nanobind::module_& m);

}  // namespace splitgp::python
