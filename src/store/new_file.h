#pragma once

#include <filesystem>

#include "core/model/model_state.h"
#include "splitgp/model_file.h"
#include "store/database.h"

namespace splitgp::store {

/// Creates a model file that holds `model`. It is written under another name and renamed once it is
/// complete and on disk, so a process killed meanwhile leaves no half-written model. Throws
/// FileError if `path` exists.
void make_model_file(const std::filesystem::path& path, const ModelState& model,
                     const ModelFileOptions& options);

/// Writes what is committed into a new file.
void copy_model_file(Database& database, const std::filesystem::path& path);

}  // namespace splitgp::store
