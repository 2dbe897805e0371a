#pragma once

namespace splitgp {

/// The level of the intervals that are printed, scored and drawn.
inline constexpr double kIntervalLevel = 0.95;

}  // namespace splitgp
