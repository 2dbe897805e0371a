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

/// The relevance of each input: spread / length_scale, scaled so that they sum to 1. An input that
/// never changes has 0.
Eigen::VectorXd relevance(const SplittingGp& model);

/// The same for the columns of the table: of the inputs that one column became, the root of the sum
/// of squares, as in the kernel's distance.
Eigen::VectorXd relevance(const SplittingGp& model, const std::vector<table::Feature>& columns);

}  // namespace splitgp
