#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "charts/partition_slice.h"
#include "splitgp/model_file.h"

namespace splitgp {

/// Everything a report shows, as JSON (docs/command.md). `name` is what the page calls the model.
nlohmann::ordered_json report_data(const LoadedModel& loaded, const std::string& name,
                                   std::optional<InputPair> pair);

/// The part of it about the stream, from the notes that `splitgp stream` left; null without them.
nlohmann::ordered_json stream_json(const LoadedModel& loaded);

}  // namespace splitgp
