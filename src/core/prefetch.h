#pragma once

#include <algorithm>
#include <cstddef>

namespace splitgp {

/// Asks for `count` values to be brought into the second cache while other work goes on; the first
/// 16 kB of them, because after that the processor sees by itself what comes next. Changes nothing.
template <typename Value>
void prefetch(const Value* data, std::size_t count) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMost = 16384;
  const char* const bytes = reinterpret_cast<const char*>(data);
  for (std::size_t at = 0; at < std::min(count * sizeof(Value), kMost); at += kLine)
    __builtin_prefetch(bytes + at, 0, 2);
}

}  // namespace splitgp
