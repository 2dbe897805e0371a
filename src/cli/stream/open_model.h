#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/stream/model.h"
#include "cli/stream/stream.h"

namespace splitgp {

/// The model that `flags` name, if its file exists. Throws CommandError if the flags ask for
/// something else than it is, or do not say enough to make a new one.
std::optional<StreamModel> open_model(const StreamFlags& flags);

/// A new model, in memory, for an input called `name` that has these columns.
StreamModel new_model(const StreamFlags& flags, const std::vector<std::string>& columns,
                      const std::string& name);

Durability durability_of(const StreamFlags& flags);

}  // namespace splitgp
