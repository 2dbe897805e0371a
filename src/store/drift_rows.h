#pragma once

#include "core/model/model_state.h"
#include "store/table_rows.h"

namespace splitgp::store {

/// The alarms from number `first` on, counted over the model's life. Table alarm keeps as many as
/// the model does: a new one takes the place of the oldest.
void write_alarms(TableWriter& rows, const ModelState& model, std::uint64_t first);

/// The detectors (store/drift_parts.h) and the alarms. A file of a format without them has the
/// groups that its splits made, which know nothing yet.  REQUIRES: the partition was read.
void read_drift(const Database& database, ModelState& model);

}  // namespace splitgp::store
