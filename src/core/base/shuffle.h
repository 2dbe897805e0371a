#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace splitgp {

/// Fisher–Yates with a modulo: std::shuffle's result differs between standard libraries.
template <typename Value>
void shuffle(std::vector<Value>& values, std::mt19937_64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

}  // namespace splitgp
