#include "serve/live/short_number.h"

#include <charconv>
#include <cmath>

namespace splitgp::serve {

nlohmann::ordered_json short_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::trunc(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  // Through the decimal text, so that what is written later is as short as this one.
  char text[32];
  const auto written =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, 7);
  std::from_chars(text, written.ptr, value);
  return value;
}

}  // namespace splitgp::serve
