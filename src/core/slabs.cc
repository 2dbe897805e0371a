#include "core/slabs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace splitgp {

using Eigen::Index;

void Slabs::find(const Eigen::Ref<const Eigen::VectorXd>& x, const StreamStatistics& inputs,
                 std::span<Index> result) const {
  const StreamStatistics::Sums& sums = inputs.sums();
  const double n = static_cast<double>(std::max<Index>(sums.n, 1));
  auto next = result.begin();
  for (Index k = 0; k < inputs_; ++k) {
    const double spread =
        std::max(std::sqrt(sums.squares(k) / n), std::numeric_limits<double>::min());
    const double share = 0.5 * std::erfc((sums.mean(k) - x(k)) / spread / std::numbers::sqrt2);
    Index first = k * kOfInput;
    for (Index parts = 4; parts <= 16; first += parts, parts *= 2) {
      const double part = share * static_cast<double>(parts);
      *next++ = first + (part < static_cast<double>(parts) ? static_cast<Index>(part) : parts - 1);
    }
  }
}

}  // namespace splitgp
