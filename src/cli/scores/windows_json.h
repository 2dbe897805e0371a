#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "cli/scores/scores.h"

namespace splitgp {

/// The history of the scores for a curve: enough points, each over enough rows to mean something.
std::vector<ScoreWindow> joined_windows(const Scores& scores);

/// The same as columns over stretches of rows: `last_row`, and for each output `rmse`,
/// `rmse_so_far`, `nlpd`, `coverage` and `interval_rows` (docs/command.md).
nlohmann::ordered_json windows_json(const Scores& scores);

}  // namespace splitgp
