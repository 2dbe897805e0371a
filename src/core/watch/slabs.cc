#include "core/watch/slabs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace splitgp {

using Eigen::Index;

namespace {

// The share of the stream's rows with a smaller value of input k, if that input is normal.
double share_below(double x, Index k, const StreamStatistics& inputs) {
  const StreamStatistics::Sums& sums = inputs.sums();
  const double n = static_cast<double>(std::max<Index>(sums.n, 1));
  const double spread =
      std::max(std::sqrt(sums.squares(k) / n), std::numeric_limits<double>::min());
  return 0.5 * std::erfc((sums.mean(k) - x) / spread / std::numbers::sqrt2);
}

Index part_of(double share, Index parts) {
  const double part = share * static_cast<double>(parts);
  return part < static_cast<double>(parts) ? static_cast<Index>(part) : parts - 1;
}

}  // namespace

void Slabs::find(const Eigen::Ref<const Eigen::VectorXd>& x, const StreamStatistics& inputs,
                 std::span<Index> result) const {
  auto next = result.begin();
  for (Index k = 0; k < inputs_; ++k) {
    const double share = share_below(x(k), k, inputs);
    Index first = k * kOfInput;
    for (Index parts = 4; parts <= 16; first += parts, parts *= 2)
      *next++ = first + part_of(share, parts);
  }
}

bool Slabs::contains(Index slab, const Eigen::Ref<const Eigen::VectorXd>& x,
                     const StreamStatistics& inputs) const {
  const Index k = slab / kOfInput;
  Index first = k * kOfInput;
  Index parts = 4;
  while (slab >= first + parts) {
    first += parts;
    parts *= 2;
  }
  return slab - first == part_of(share_below(x(k), k, inputs), parts);
}

}  // namespace splitgp
