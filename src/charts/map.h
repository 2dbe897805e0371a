#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "charts/map_source.h"

namespace splitgp {

/// Which maps are wanted.
struct MapChoice {
  std::optional<InputPair> first;  ///< Of columns; by default the two most relevant ones.
  bool alone = false;              ///< Only that one; otherwise also others of relevant columns.
  Eigen::Index side = 48;          ///< Points along each axis.
};

/// The partition as JSON (docs/command.md): maps of pairs of inputs with the other inputs at their
/// medians; a line if the model has one input; null if it has learned nothing.
nlohmann::ordered_json partition_json(const MapSource& source, const MapChoice& choice);

/// The predicted outputs at some points, as JSON.
nlohmann::ordered_json predicted_json(const PredictedPoints& points);

/// The columns to map: those chosen, then the most relevant ones.
std::vector<Eigen::Index> mapped_columns(const MapSource& source, const MapChoice& choice);

inline constexpr Eigen::Index kLinePoints = 400;

}  // namespace splitgp
