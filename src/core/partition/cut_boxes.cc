#include "core/partition/cut_boxes.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace splitgp {

using Eigen::ArrayXXd;
using Eigen::Index;

void BoxCutter::Hull::clear(Index inputs) {
  low.setConstant(inputs, std::numeric_limits<double>::infinity());
  high.setConstant(inputs, -std::numeric_limits<double>::infinity());
}

void BoxCutter::Hull::add(const ArrayXXd& lows, const ArrayXXd& highs, Index box) {
  low = low.min(lows.col(box));
  high = high.max(highs.col(box));
}

void BoxCutter::reserve(Index inputs, Index boxes) {
  low.resize(inputs, boxes);
  high.resize(inputs, boxes);
  middle_.resize(inputs, boxes);
  order_.reserve(static_cast<std::size_t>(boxes));
  bottom_.resize(boxes);
  size_behind_.resize(boxes);
  behind_.clear(inputs);
  front_.clear(inputs);
  result_.behind.reserve(static_cast<std::size_t>(boxes));
}

// By insertion: they are few, boxes in the same place keep their order, and std::stable_sort would
// allocate.
void BoxCutter::sort_along(Index k) {
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const Index box = order_[i];
    std::size_t to = i;
    for (; to > 0 && middle_(k, box) < middle_(k, order_[to - 1]); --to)
      order_[to] = order_[to - 1];
    order_[to] = box;
  }
}

const BoxCut& BoxCutter::cut(int least) {
  const Index inputs = low.rows();
  const Index n = low.cols();
  assert(n >= 2 * least);
  middle_ = 0.5 * low + 0.5 * high;
  order_.resize(static_cast<std::size_t>(n));
  std::iota(order_.begin(), order_.end(), Index{0});

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::pair best(kInfinity, kInfinity);  // overlap, size of the parts
  result_.input = 0;
  result_.behind.assign(order_.size(), false);
  bottom_.resize(n);
  size_behind_.resize(n);
  for (Index k = 0; k < inputs; ++k) {
    sort_along(k);
    behind_.clear(inputs);
    for (Index place = n - 1; place >= 0; --place) {
      behind_.add(low, high, order_[static_cast<std::size_t>(place)]);
      bottom_(place) = behind_.low(k);
      size_behind_(place) = behind_.squared_extent();
    }
    const double extent = behind_.high(k) - behind_.low(k);
    front_.clear(inputs);
    for (Index place = 0; place < n - least; ++place) {
      front_.add(low, high, order_[static_cast<std::size_t>(place)]);
      if (place + 1 < least) continue;
      const double shared = std::max(0.0, front_.high(k) - bottom_(place + 1));
      const std::pair cost(extent > 0.0 ? shared / extent : 1.0,
                           front_.squared_extent() + size_behind_(place + 1));
      if (cost < best) {
        best = cost;
        result_.input = k;
        for (Index at = 0; at < n; ++at)
          result_.behind[static_cast<std::size_t>(order_[static_cast<std::size_t>(at)])] =
              at > place;
      }
    }
  }
  // Boxes beyond the largest double have no reliable order: cut them in half as they stand.
  if (best.first == kInfinity) {
    for (Index box = 0; box < n; ++box)
      result_.behind[static_cast<std::size_t>(box)] = box >= n / 2;
  }
  return result_;
}

}  // namespace splitgp
