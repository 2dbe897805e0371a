#pragma once

#include <cstdint>

namespace splitgp {

/// A number that no factor has had before: what was computed from a factor is known to be out of
/// date when the factor's number has changed. 0 is never given.
std::uint64_t next_factor_version();

}  // namespace splitgp
