#pragma once

#include <nlohmann/json.hpp>

namespace splitgp::serve {

/// A number for a chart, to seven digits; null if it is not finite.
nlohmann::ordered_json short_number(double value);

}  // namespace splitgp::serve
