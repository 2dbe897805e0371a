#include "table/gap_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace splitgp::table {
namespace {

constexpr double kFewest = 10.0;  // rows of either kind, before they are compared
constexpr double kCompared = 50.0;
constexpr double kGain = 0.2;    // a share of the squared error
constexpr double kShrunk = 2.0;  // rows that the mean of all counts for in that of a kind

struct Running {
  double count = 0.0;
  double mean = 0.0;

  void add(double value) {
    count += 1.0;
    mean += (value - mean) / count;
  }
};

}  // namespace

bool gaps_tell(const std::vector<bool>& gap, const std::vector<double>& target) {
  // In units of the largest, so that no square overflows.
  double largest = 0.0;
  for (const double value : target) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  if (!(largest > 0.0)) return false;
  Running all;
  std::array<Running, 2> kinds;
  double compared = 0.0, together = 0.0, apart = 0.0;
  for (std::size_t row = 0; row < target.size(); ++row) {
    if (!std::isfinite(target[row])) continue;
    const double value = target[row] / largest;
    Running& kind = kinds[gap[row] ? 1 : 0];
    if (std::min(kinds[0].count, kinds[1].count) >= kFewest) {
      const double own = (kind.count * kind.mean + kShrunk * all.mean) / (kind.count + kShrunk);
      together += (value - all.mean) * (value - all.mean);
      apart += (value - own) * (value - own);
      compared += 1.0;
    }
    all.add(value);
    kind.add(value);
  }
  return compared >= kCompared && apart < (1.0 - kGain) * together;
}

}  // namespace splitgp::table
