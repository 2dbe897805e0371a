#pragma once

#include "cli/input_flags.h"
#include "splitgp/model_file.h"
#include "table/recipe.h"

namespace splitgp {

/// The recipe in a model file, or, for a model that was made without one, plain numbers by the
/// names of its inputs. --decimal takes precedence over the mark that the recipe has: it belongs to
/// a text, not to the model. Throws FileError if the recipe does not fit the model.
table::Recipe recipe_of(const ModelFile& file, const InputFlags& flags);
table::Recipe recipe_of(const LoadedModel& loaded, const InputFlags& flags = {});

}  // namespace splitgp
