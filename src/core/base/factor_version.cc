#include "core/base/factor_version.h"

#include <atomic>

namespace splitgp {

// Compiled once, not for each instruction set: there must be only one counter.
std::uint64_t next_factor_version() {
  static std::atomic<std::uint64_t> last = 0;
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace splitgp
