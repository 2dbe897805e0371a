#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace splitgp {

/// The history of a model whose size is bounded is bounded too: it has the latest 512 to 1,023
/// records, and counts those before.
inline constexpr std::size_t kHistory = 512;

template <typename Record>
void bound_history(std::vector<Record>& history, std::uint64_t& dropped) {
  if (history.size() < 2 * kHistory) return;
  history.erase(history.begin(), history.begin() + kHistory);
  dropped += kHistory;
}

}  // namespace splitgp
