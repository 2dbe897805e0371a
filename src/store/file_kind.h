#pragma once

#include <cstdint>
#include <filesystem>

#include "store/database.h"

namespace splitgp::store {

/// Throws FileError, saying why, unless there is a model file at `path` that this library can read.
/// Reads the first bytes only: a file of another kind is not touched.
void check_kind(const std::filesystem::path& path);

/// The format of a file that check_kind() has passed.
std::uint32_t format_version(const Database& database);

/// Throws FileError if the file has been cut off. Only for one without a log, since what it lacks
/// may be there.
void check_length(const Database& database);

}  // namespace splitgp::store
