#pragma once

#include <Eigen/Core>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace splitgp {

/// Two inputs, by number from 0.
struct InputPair {
  Eigen::Index x = 0;
  Eigen::Index y = 1;
  bool operator==(const InputPair&) const = default;
};

struct Range {
  double low = 0.0;
  double high = 1.0;
};

/// What a map has to know of a model's partition, copied at one moment.
struct PartitionFacts {
  Eigen::VectorXd length_scale;
  Eigen::MatrixXd centers;  ///< Column i is that of local GP i.
};

/// O(local GPs)
PartitionFacts partition_facts(const SplittingGp& model);

/// Part of the plane in which all inputs but a pair are fixed.
struct Slice {
  InputPair pair;
  Range x, y;
  Eigen::VectorXd base;  ///< One value for each input; those of the pair do not matter.
};

/// Where the observations of one local GP come from: x is in the cell of the most similar center.
/// In a slice, cells are convex polygons.
struct Cell {
  Eigen::Index local_gp = 0;
  Eigen::Matrix2Xd corners;  ///< In order.
};

/// Column i holds the position of center i in the slice, so that the squared distance in length
/// scales of (x, y) to a center is (x' − row 0)² + (y' − row 1)² + row 2, where x' and y' are in
/// length scales.
Eigen::Matrix3Xd centers_in_slice(const PartitionFacts& partition, const Slice& slice);

/// The most similar local GP at (x, y) of the slice. O(local GPs)
/// REQUIRES: there is one.
Eigen::Index cell_at(const PartitionFacts& partition, const Slice& slice,
                     const Eigen::Matrix3Xd& centers, double x, double y);

/// The cells of these local GPs, clipped to the slice; the other cells are assumed not to reach
/// it. O(their number²)
std::vector<Cell> cells_of(const PartitionFacts& partition, const Slice& slice,
                           const Eigen::Matrix3Xd& centers,
                           const std::vector<Eigen::Index>& local_gps);

}  // namespace splitgp
