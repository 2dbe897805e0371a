#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "charts/observed_inputs.h"
#include "table/recipe.h"

namespace splitgp::serve {

/// What the form "what if" asks for, as JSON: one field for each column that a person can choose,
/// with its range or levels and the value it begins with (docs/service.md). Lags are not asked for:
/// they are what the stream has seen. `newest` are the inputs of the newest row; empty: the medians
/// are taken.
nlohmann::ordered_json fields_json(const table::Recipe& recipe, const ObservedInputs& observed,
                                   const std::vector<double>& newest);

}  // namespace splitgp::serve
