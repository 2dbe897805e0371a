#include "charts/numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace splitgp {

nlohmann::ordered_json chart_numbers(const Eigen::Ref<const Eigen::VectorXd>& values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // A constant keeps ten digits.
  double places = 5.0 - std::floor(std::log10(high - low));
  if (!std::isfinite(places)) places = 10.0 - std::floor(std::log10(std::abs(high)));
  // Whole numbers divided by a power of ten have short decimals; beyond these powers it would not
  // be exact, and a number is written as it is.
  const bool decimal = std::abs(places) <= 22.0;
  const double scale = decimal ? std::pow(10.0, std::abs(places)) : 1.0;
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (double value : values) {
    if (!std::isfinite(value)) {
      result.push_back(nullptr);
      continue;
    }
    if (decimal) {
      value = places >= 0.0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
    }
    // Without ".0", which nlohmann would write.
    if (value == std::trunc(value) && std::abs(value) < 1e15) {
      result.push_back(static_cast<std::int64_t>(value));
    } else {
      result.push_back(value);
    }
  }
  return result;
}

}  // namespace splitgp
