#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <Eigen/Core>

#include "splitgp/instruction_set.h"

namespace splitgp {

std::string version_text() {
  return fmt::format(
      "splitgp {} ({} build, {} {})\n"
      "instructions: {} (of {})\n"
      "Eigen {}.{}.{}, SQLite {}",
      SPLITGP_VERSION, SPLITGP_BUILD_TYPE,
#if defined(__clang__)
      "clang",
#else
      "gcc",
#endif
      __VERSION__, instruction_set(), fmt::join(instruction_sets(), ", "), EIGEN_WORLD_VERSION,
      EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, sqlite3_libversion());
}

}  // namespace splitgp
