#pragma once

#include <string>
#include <vector>

namespace splitgp::testing {

/// Whether a sanitizer makes everything ten times as slow. Tests then repeat a property less often,
/// or check it on smaller data. The release build checks it in full: in ./test those tests whose
/// outcome depends on it (tests/CMakeLists.txt), and all of them after
/// `cmake --build build/release --target splitgp_unit_tests`.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Arguments of `splitgp stream` for tests in which any trained θ will do: under a sanitizer,
/// training looks at few rows and at one kernel instead of all in turn.
inline std::vector<std::string> quick_training(std::vector<std::string> arguments) {
  if (kSanitized) {
    for (const char* flag : {"--kernel", "rbf", "--training-observations", "50"}) {
      arguments.emplace_back(flag);
    }
  }
  return arguments;
}

}  // namespace splitgp::testing
