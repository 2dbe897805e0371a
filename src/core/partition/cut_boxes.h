#pragma once

#include <Eigen/Core>
#include <vector>

namespace splitgp {

/// Boxes in two parts: the front ones along one input, and the rest.
struct BoxCut {
  Eigen::Index input = 0;
  std::vector<bool> behind;
};

/// Cuts boxes in two. It keeps its memory, so that cutting as many boxes again allocates nothing.
class BoxCutter {
 public:
  Eigen::ArrayXXd low;  // a column for each box
  Eigen::ArrayXXd high;

  /// Cuts the boxes so that the parts overlap least along the input that is cut and, among such
  /// cuts, so that the boxes around the parts are smallest. Each part gets at least `least`.
  /// O(n·d² + n²·d)  REQUIRES: low ≤ high, as many boxes as 2·least.
  const BoxCut& cut(int least);

  void reserve(Eigen::Index inputs, Eigen::Index boxes);

 private:
  // A box that grows around others.
  struct Hull {
    Eigen::ArrayXd low, high;

    void clear(Eigen::Index inputs);
    void add(const Eigen::ArrayXXd& lows, const Eigen::ArrayXXd& highs, Eigen::Index box);
    double squared_extent() const { return (high - low).square().sum(); }
  };
  void sort_along(Eigen::Index k);

  Eigen::ArrayXXd middle_;
  std::vector<Eigen::Index> order_;
  Eigen::ArrayXd bottom_, size_behind_;  // of all boxes from each place in the order on
  Hull behind_, front_;
  BoxCut result_;
};

}  // namespace splitgp
