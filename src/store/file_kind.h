#pragma once

#include <cstdint>
#include <filesystem>

#include "store/database.h"

namespace splitgp::store {

/// Throws FileError with the reason unless `path` is a model file that this library can read. Reads
/// only the first bytes: a file of another kind is not touched.
void check_kind(const std::filesystem::path& path);

/// The format of a file that check_kind() has passed, as of the current transaction.
std::uint32_t format_version(const Database& database);

/// Throws FileError if the file has been cut off. Only for a file without a log, since the missing
/// part may be there.
void check_length(const Database& database);

}  // namespace splitgp::store
