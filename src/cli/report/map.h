#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "cli/report/partition_slice.h"

namespace splitgp {

/// The partition as JSON (docs/command.md): maps of pairs of inputs with the other inputs at their
/// medians, `first` or the two most relevant ones first; a line if the model has one input; null if
/// it has learned nothing.
nlohmann::ordered_json partition_json(const SplittingGp& model, std::optional<InputPair> first);

/// The predicted outputs at some points, as JSON.
nlohmann::ordered_json predicted_json(const Prediction& prediction);

/// The columns to map: `first`, then the most relevant ones.
std::vector<Eigen::Index> mapped_columns(const Eigen::VectorXd& relevance, Eigen::Index outputs,
                                         std::optional<InputPair> first);

inline constexpr Eigen::Index kMapSide = 48;
inline constexpr Eigen::Index kSampledInputs = 600;

}  // namespace splitgp
