#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/columns.h"
#include "splitgp/model_file.h"
#include "table/recipe.h"

namespace splitgp {

/// `splitgp inspect`: what a model has learned, as text or as JSON.
struct InspectFlags {
  std::string model;
  bool json = false;
  int local_gps = 10;
};

int run_inspect(const InspectFlags& flags);

/// Everything inspect knows, as JSON (docs/command.md). Wakes the local GPs, O(m³) each, so that
/// conditioning is known.
nlohmann::ordered_json describe(LoadedModel& loaded);

}  // namespace splitgp
