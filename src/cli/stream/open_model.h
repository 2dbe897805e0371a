#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/stream/first_rows.h"
#include "cli/stream/model.h"
#include "cli/stream/stream.h"
#include "table/finder.h"

namespace splitgp {

/// The model that `flags` name, if its file exists. Throws CommandError if the flags contradict it,
/// or if there is no file and too few flags to make a new model.
std::optional<StreamModel> open_model(const StreamFlags& flags);

/// What the columns of a table are, from its first rows as the reader has looked at them. `name` is
/// the input's, for errors.
table::Found find_recipe(const StreamFlags& flags, const std::vector<std::string>& columns,
                         const FirstRows& rows, const std::string& name);

/// A new model, in memory.
StreamModel new_model(const StreamFlags& flags, table::Recipe recipe);

Durability durability_of(const StreamFlags& flags);

}  // namespace splitgp
