#pragma once

#include <Eigen/Core>

#include "splitgp/storage.h"

namespace splitgp {

/// A view from the other side of the library's boundary, as our own Eigen sees it.
inline auto columns(const MatrixView& view) {
  return Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
      view.data, view.rows, view.cols, Eigen::OuterStride<>(view.stride));
}

/// The same for a view of one vector.
inline Eigen::Map<const Eigen::VectorXd> column(const MatrixView& view) {
  return {view.data, view.rows * view.cols};
}

}  // namespace splitgp
