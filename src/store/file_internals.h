#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/model/model_state.h"
#include "splitgp/model_file.h"
#include "store/database.h"

namespace splitgp {

/// Access to what ModelFile hides: for a router, which learns in parts (core/model/route.h), and
/// for programs that keep tables of their own beside the model's (src/serve/ledger.h).
struct FileInternals {
  static ModelState& model(ModelFile& file);
  /// A change through model() failed halfway: the model is never written again.
  static void give_up(ModelFile& file) noexcept;
  static const std::filesystem::path& path(const ModelFile& file);
  /// Assigns another model, which may have other inputs, to this one. The next checkpoint writes
  /// all of it; until then the file is as of the last one. Notes and positions stay.
  static void replace(ModelFile& file, SplittingGp model, std::vector<std::string> input_names);
  /// Writes a copy of the file, as of its last checkpoint, under another name, which must be free.
  static void copy(ModelFile& file, const std::filesystem::path& to);

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
