#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "cli/report/partition_slice.h"

namespace splitgp {

/// The partition as JSON (docs/command.md): maps of pairs of inputs with the other inputs at their
/// medians, `first` or the two most relevant ones first; a line if the model has one input; null if
/// it has learned nothing.
nlohmann::ordered_json partition_json(const SplittingGp& model, std::optional<InputPair> first);

}  // namespace splitgp
