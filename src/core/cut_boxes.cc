#include "core/cut_boxes.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace splitgp {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

// A box that grows around others.
struct Hull {
  ArrayXd low, high;

  explicit Hull(Index inputs)
      : low(ArrayXd::Constant(inputs, std::numeric_limits<double>::infinity())), high(-low) {}
  void add(const ArrayXXd& lows, const ArrayXXd& highs, Index box) {
    low = low.min(lows.col(box));
    high = high.max(highs.col(box));
  }
  double squared_extent() const { return (high - low).square().sum(); }
};

}  // namespace

BoxCut cut_boxes(const ArrayXXd& low, const ArrayXXd& high, int least) {
  const Index inputs = low.rows();
  const Index n = low.cols();
  assert(n >= 2 * least);
  const ArrayXXd middle = 0.5 * low + 0.5 * high;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::pair best(kInfinity, kInfinity);  // overlap, size of the parts
  BoxCut result{0, std::vector<bool>(order.size())};
  ArrayXd bottom(n), size_behind(n);  // of all boxes from each place in the order on
  for (Index k = 0; k < inputs; ++k) {
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return middle(k, a) < middle(k, b); });
    Hull behind(inputs);
    for (Index place = n - 1; place >= 0; --place) {
      behind.add(low, high, order[static_cast<std::size_t>(place)]);
      bottom(place) = behind.low(k);
      size_behind(place) = behind.squared_extent();
    }
    const double extent = behind.high(k) - behind.low(k);
    Hull front(inputs);
    for (Index place = 0; place < n - least; ++place) {
      front.add(low, high, order[static_cast<std::size_t>(place)]);
      if (place + 1 < least) continue;
      const double shared = std::max(0.0, front.high(k) - bottom(place + 1));
      const std::pair cost(extent > 0.0 ? shared / extent : 1.0,
                           front.squared_extent() + size_behind(place + 1));
      if (cost < best) {
        best = cost;
        result.input = k;
        for (Index at = 0; at < n; ++at)
          result.behind[static_cast<std::size_t>(order[static_cast<std::size_t>(at)])] = at > place;
      }
    }
  }
  // Boxes beyond the largest double have no reliable order: cut them in half as they stand.
  if (best.first == kInfinity) {
    for (Index box = 0; box < n; ++box) result.behind[static_cast<std::size_t>(box)] = box >= n / 2;
  }
  return result;
}

}  // namespace splitgp
