#pragma once

namespace splitgp::testing {

/// Whether a sanitizer makes everything ten times as slow. Tests then repeat a property less often,
/// or check it on smaller data; the release build checks it in full.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace splitgp::testing
