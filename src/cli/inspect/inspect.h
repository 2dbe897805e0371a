#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/stream/model.h"

namespace splitgp {

/// `splitgp inspect`: what a model has learned, for people or as JSON.
struct InspectFlags {
  std::string model;
  bool json = false;
  int local_gps = 10;

  void add_to(CLI::App& command);
};

int run_inspect(const InspectFlags& flags);

/// Everything inspect knows, as JSON (docs/command.md). Wakes the local GPs, O(m³) each, so that
/// conditioning is known.
nlohmann::ordered_json describe(ModelFile& file);

/// Share of each input in the variation that the model sees: spread / length_scale, scaled to a sum
/// of 1. 0 for an input that never changes.
Eigen::VectorXd relevance(const SplittingGp& model);

}  // namespace splitgp
