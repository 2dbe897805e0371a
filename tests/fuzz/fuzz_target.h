#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What a fuzz target defines: it must not crash or hang on any bytes, and aborts if one of its
/// checks fails.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace splitgp::testing {

/// Where the mutation driver starts from.
std::vector<std::string> fuzz_seeds();

}  // namespace splitgp::testing
