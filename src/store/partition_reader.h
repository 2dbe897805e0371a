#pragma once

#include "core/model/model_state.h"
#include "store/history_rows.h"
#include "store/model_numbers.h"

namespace splitgp::store {

/// Reads observations, splits and local GPs into a model that has only its options. O(n·(d + m)),
/// without arithmetic but for the centers. Throws FileError if the file contradicts itself.
void read_partition(const Database& database, const ModelNumbers& numbers,
                    const ThetaVersions& thetas, ModelState& state);

}  // namespace splitgp::store
