#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/stream/model.h"
#include "cli/stream/stream.h"

namespace splitgp {

/// The model that `flags` name, if its file exists. Throws CommandError if the flags contradict it,
/// or if there is no file and too few flags to make a new model.
std::optional<StreamModel> open_model(const StreamFlags& flags);

/// A new model, in memory, for an input with these columns. `name` is the input's, for errors.
StreamModel new_model(const StreamFlags& flags, const std::vector<std::string>& columns,
                      const std::string& name);

Durability durability_of(const StreamFlags& flags);

}  // namespace splitgp
