#pragma once

#include "core/model/model_state.h"
#include "store/table_rows.h"

namespace splitgp::store {

/// Table running: what the model follows from row to row, calibration and surprise, as lists of
/// numbers.
void write_running(TableWriter& rows, const ModelState& model);

/// Into a model of the same options. A file of format 1 has none of it: the model starts to follow.
void read_running(const Database& database, ModelState& model);

}  // namespace splitgp::store
