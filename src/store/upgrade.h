#pragma once

#include <string>
#include <vector>

#include "core/model/model_state.h"
#include "store/database.h"

namespace splitgp::store {

/// Brings the file of `model`, which was just read from it, to the current format; does nothing if
/// it has that. A kill leaves the file in one format or the other.
void upgrade(Database& database, const ModelState& model,
             const std::vector<std::string>& input_names,
             const std::vector<std::string>& output_names);

}  // namespace splitgp::store
