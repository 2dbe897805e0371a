#pragma once

#include <nlohmann/json_fwd.hpp>

#include "charts/map.h"
#include "table/recipe.h"

namespace splitgp {

/// partition_json() for a model whose inputs are made from the columns of a table: maps of pairs of
/// columns, over dates for a time and over levels for a category. Cells are drawn only where both
/// columns are plain numbers, because only there they are polygons.
nlohmann::ordered_json column_partition_json(const MapSource& source, const table::Recipe& recipe,
                                             const MapChoice& choice);

}  // namespace splitgp
