#pragma once

#include <cstdint>

namespace splitgp {

struct DemoFlags {
  std::uint64_t rows = 8192;
  std::uint64_t seed = 1;
};

/// `splitgp demo`: streams the paper's synthetic function through a model in memory.
int run_demo(const DemoFlags& flags);

}  // namespace splitgp
