#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "splitgp/model_file.h"
#include "support/golden.h"

namespace splitgp::testing {

/// Writes the file of a small model that has forgotten: by a window, by age and by hand.
inline void make_forgetful_file(const std::filesystem::path& path) {
  Options options;
  options.split_limit = 8;
  options.training_observations = 40;
  options.window_size = 60;
  options.max_age = 55.0;
  ModelFile file = ModelFile::create(path, SplittingGp(2, 2, options));
  for (Eigen::Index i = 0; i < golden::kObservations; ++i) {
    file.model().update(golden::x(i), golden::y(i), golden::noise_variance(i),
                        static_cast<double>(i));
    if (i % 30 == 29) {
      file.model().forget(
          std::vector{static_cast<std::uint64_t>(i - 3), static_cast<std::uint64_t>(i)});
      file.checkpoint({{"source.csv", static_cast<std::uint64_t>(i + 1)}});
    }
  }
  file.checkpoint({{"source.csv", golden::kObservations}});
}

}  // namespace splitgp::testing
