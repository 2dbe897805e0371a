#include "core/base/operations.h"

namespace splitgp {

// Compiled once, not for each instruction set: there must be only one count.
constinit thread_local std::uint64_t operations_done = 0;

}  // namespace splitgp
