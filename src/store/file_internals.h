#pragma once

#include <functional>

#include "splitgp/model_file.h"
#include "store/database.h"

namespace splitgp {

/// Access to what ModelFile hides, for programs of this project that keep tables of their own
/// beside the model's (src/serve/ledger.h).
struct FileInternals {
  /// The connection that writes; null without a file.
  static store::Database* database(ModelFile& file);
  using Call = std::function<void()>;
  /// ModelFile::checkpoint(), with `in_transaction` called before it is committed: what that writes
  /// is in the file together with the model, or not at all. It may be called again after a failure.
  /// Other threads may use const methods of the model meanwhile, but for a moment after the commit,
  /// when the model notes that it has been written: that is the call handed to `exclusively`.
  static void checkpoint(ModelFile& file, const Call& in_transaction,
                         const std::function<void(const Call&)>& exclusively);
};

}  // namespace splitgp
