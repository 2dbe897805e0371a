#pragma once

#include <array>

#include "table/recipe.h"

namespace splitgp::table {

/// What model files and programs call each Use, …
inline constexpr std::array<const char*, 7> kUseNames{"number", "boolean", "ordered", "category",
                                                      "time",   "open",    "none"};
/// … and each TimePart.
inline constexpr std::array<const char*, 11> kPartNames{"stamp",
                                                        "date",
                                                        "clock",
                                                        "year",
                                                        "month",
                                                        "day",
                                                        "hour",
                                                        "minute",
                                                        "second",
                                                        "unix_seconds",
                                                        "unix_milliseconds"};

inline const char* name_of(Use use) { return kUseNames[static_cast<std::size_t>(use)]; }
inline const char* name_of(TimePart part) { return kPartNames[static_cast<std::size_t>(part)]; }

}  // namespace splitgp::table
