#pragma once

#include <string>

#include "splitgp/model_file.h"

namespace splitgp {

/// How the rows were predicted that the file's record tells of, as JSON for the live page: columns
/// over stretches of rows, as in the report, with `local_gps` and all `rows`. "null" if it tells of
/// none.
std::string past_json(const ModelFile& file);

}  // namespace splitgp
