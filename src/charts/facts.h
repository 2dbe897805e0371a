#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "table/recipe.h"

namespace splitgp {

// Facts of a model as JSON, for the pages of the report and of the service (docs/command.md).

/// One for each column of the table. The length scale of a time is that of its hours.
nlohmann::ordered_json chart_inputs(const SplittingGp& model,
                                    const std::vector<table::Feature>& columns);

nlohmann::ordered_json chart_outputs(const SplittingGp& model,
                                     const std::vector<std::string>& names);

/// How large innovations have been lately, for each output.
nlohmann::ordered_json chart_innovation(const SplittingGp& model);

nlohmann::ordered_json chart_alarms(const std::vector<Alarm>& alarms);

}  // namespace splitgp
