#pragma once

#include <optional>

#include "cli/stream/first_table.h"
#include "splitgp/splitting_gp.h"
#include "table/recipe.h"
#include "table/state.h"

namespace splitgp {

/// A model whose inputs were made by another recipe, and what that remembers.
struct Grown {
  table::Found found;
  table::RecipeState state;
  SplittingGp model;
};

/// Looks at the columns again now that there are more rows. If they turn out to be something else,
/// returns what the model would be if that had been known from the start: it learns the rows that
/// were taken once more, in order, so their numbers stay. Empty if the recipe stays, because
/// nothing is new, or because another recipe would not take the same rows.
std::optional<Grown> grow(const SplittingGp& model, const table::Recipe& recipe, FirstTable& first,
                          const StreamFlags& flags);

/// Whether both make the same inputs of a row, whatever they say about why.
bool reads_alike(const table::Recipe& a, const table::Recipe& b);

}  // namespace splitgp
