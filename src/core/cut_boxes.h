#pragma once

#include <Eigen/Core>
#include <vector>

namespace splitgp {

/// Boxes in two parts: the front ones along one input, and the rest.
struct BoxCut {
  Eigen::Index input = 0;
  std::vector<bool> behind;
};

/// Cuts boxes (one column each) so that the parts overlap least along the input that is cut and,
/// among such cuts, so that the boxes around the parts are smallest. Each part gets at least
/// `least`. O(n·d² + n·d·log n)  REQUIRES: low ≤ high, as many boxes as 2·least.
BoxCut cut_boxes(const Eigen::ArrayXXd& low, const Eigen::ArrayXXd& high, int least);

}  // namespace splitgp
