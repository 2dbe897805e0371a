#pragma once

#include <string>

namespace splitgp {

/// "30d", "12h", "1.5 w", "90min", "45s" or "3600" as seconds. Throws CommandError that names the
/// flag.
double parse_age(const std::string& flag, const std::string& text);

/// Seconds in the largest unit that fits: "30 days", "12 hours", "1.5 seconds".
std::string age_text(double seconds);

}  // namespace splitgp
