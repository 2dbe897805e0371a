#pragma once

#include <filesystem>

#include "core/model_state.h"
#include "splitgp/model_file.h"

namespace splitgp {

/// Access to what ModelFile hides, for a router, which learns in parts (core/route.h) and has the
/// file record what came of it.
struct FileInternals {
  static ModelState& model(ModelFile& file);
  /// As ModelFile::update does once it has learned a row.
  static void remember(ModelFile& file, const Eigen::Ref<const Eigen::VectorXd>& x,
                       const Eigen::Ref<const Eigen::VectorXd>& y, double noise_variance,
                       const UpdateResult& result);
  static const std::filesystem::path& path(const ModelFile& file);
  /// Writes a copy of the file, as of its last checkpoint, under another name, which must be free.
  static void copy(ModelFile& file, const std::filesystem::path& to);
};

}  // namespace splitgp
