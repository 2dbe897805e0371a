#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace splitgp {

/// How much arithmetic this thread has done, by count: multiply-adds of factors, kernels and
/// derivatives, and numbers that were copied. Unlike a time it is the same on every machine and
/// whatever else that does, so a bound on it can be tested. One addition for each solve.
extern constinit thread_local std::uint64_t operations_done;

inline void count_operations(Eigen::Index operations) {
  operations_done += static_cast<std::uint64_t>(operations);
}

}  // namespace splitgp
