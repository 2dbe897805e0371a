#pragma once

#include "splitgp/options.h"
#include "store/database.h"

namespace splitgp::store {

/// Table option: one row per entry of the option table (core/options/option_table.h) and per part
/// of the θ that the model started from, given or not.
void write_options(Database& database, const Options& options, const Hyperparameters& starting);

/// Throws FileError if an option of the file's format is missing, or if one is unknown or invalid.
/// Whether the starting θ was given is stored in another table.
Options read_options(const Database& database, std::uint32_t format);

}  // namespace splitgp::store
