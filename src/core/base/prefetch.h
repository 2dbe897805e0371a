#pragma once

#include <algorithm>
#include <cstddef>

namespace splitgp {

/// Prefetches `count` values into the L2 cache while other work goes on; only the first 16 kB,
/// because the processor predicts the rest by itself. Changes nothing.
template <typename Value>
void prefetch(const Value* data, std::size_t count) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMost = 16384;
  const char* const bytes = reinterpret_cast<const char*>(data);
  for (std::size_t at = 0; at < std::min(count * sizeof(Value), kMost); at += kLine)
    __builtin_prefetch(bytes + at, 0, 2);
}

}  // namespace splitgp
