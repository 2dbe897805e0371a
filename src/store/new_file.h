#pragma once

#include <filesystem>

#include "core/model_state.h"
#include "splitgp/model_file.h"

namespace splitgp::store {

/// Makes a model file that holds `model`. It is written under another name and gets its own when it
/// is complete and on the disk, so a process killed meanwhile leaves no half of a model.
/// Throws FileError if `path` exists.
void make_model_file(const std::filesystem::path& path, const ModelState& model,
                     const ModelFileOptions& options);

}  // namespace splitgp::store
