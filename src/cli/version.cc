#include "cli/version.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <Eigen/Core>

namespace splitgp {

std::string version_text() {
  return fmt::format(
      "splitgp {} ({} build, {} {}, {})\n"
      "Eigen {}.{}.{}, SQLite {}",
      SPLITGP_VERSION, SPLITGP_BUILD_TYPE,
#if defined(__clang__)
      "clang",
#else
      "gcc",
#endif
      __VERSION__, Eigen::SimdInstructionSetsInUse(), EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
      EIGEN_MINOR_VERSION, sqlite3_libversion());
}

}  // namespace splitgp
