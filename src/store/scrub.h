#pragma once

#include "store/database.h"

namespace splitgp::store {

/// Forgotten numbers have to be gone from the bytes of the file and of its log. `secure_delete` has
/// SQLite write zeros over what it deletes, which is not all: the log holds pages as they were, and
/// a row that moved within the file when a page was rebuilt leaves a copy in the page's free
/// middle.

/// Moves the log into the file, empties it, and clears the free middle of the pages that were in
/// it. Costs as much as they do. While others use the file that is not possible; then this waits
/// for a moment, and returns false: the next time all pages have to be looked at.
bool scrub_log(Database& database);

/// The same for all pages, and clears those that are not in use: for a file that may have been
/// written without such care.
bool scrub(Database& database);

}  // namespace splitgp::store
