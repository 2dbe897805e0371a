#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/columns.h"
#include "splitgp/results.h"

namespace splitgp {

/// An alarm as `inspect --json` and the events of `stream` have it, but for its region, which each
/// says in its own way.
nlohmann::ordered_json alarm_json(const Alarm& alarm, const ObservationColumns& columns);

}  // namespace splitgp
