#pragma once

#include <filesystem>
#include <memory>

#include "serve/http/message.h"

namespace splitgp::serve {

/// A copy of a model file as of its last commit, made while it is written to: the copy is read in
/// one transaction of its own. Lies beside the file, for its owner alone, until it has been sent.
/// Throws FileError.
std::shared_ptr<http::TemporaryFile> make_snapshot(const std::filesystem::path& model);

/// Removes copies that a killed process left behind: files beside the model that are named as
/// make_snapshot() names them.
void remove_old_snapshots(const std::filesystem::path& model);

}  // namespace splitgp::serve
