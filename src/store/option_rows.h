#pragma once

#include "splitgp/options.h"
#include "store/database.h"

namespace splitgp::store {

/// Table option: a row for each member of Options, under its own name.
void write_options(Database& database, const Options& options);

/// Throws FileError if one is missing, unknown or senseless.
Options read_options(const Database& database);

}  // namespace splitgp::store
