#pragma once

#include "splitgp/options.h"
#include "store/database.h"

namespace splitgp::store {

/// Table option: a row for each entry of the option table (core/option_table.h), and for each part
/// of the θ that the model started from, given or not.
void write_options(Database& database, const Options& options, const Hyperparameters& starting);

/// Throws FileError if one is missing that the file's format has, or if one is unknown or makes no
/// sense. Whether the starting θ was given is stored in another table.
Options read_options(const Database& database, std::uint32_t format);

}  // namespace splitgp::store
