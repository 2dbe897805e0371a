#include "charts/partition_slice.h"

#include <utility>

namespace splitgp {

using Eigen::Index;
using Eigen::Matrix2Xd;
using Eigen::Vector2d;

namespace {

Vector2d length_scales(const PartitionFacts& partition, const InputPair& pair) {
  return {partition.length_scale(pair.x), partition.length_scale(pair.y)};
}

// The part of a convex polygon where normal·u ≤ offset (Sutherland and Hodgman).
Matrix2Xd clipped(const Matrix2Xd& polygon, const Vector2d& normal, double offset) {
  Matrix2Xd result(2, polygon.cols() + 1);
  Index kept = 0;
  for (Index i = 0; i < polygon.cols(); ++i) {
    const Vector2d here = polygon.col(i);
    const Vector2d next = polygon.col((i + 1) % polygon.cols());
    const double over_here = normal.dot(here) - offset;
    const double over_next = normal.dot(next) - offset;
    if (over_here <= 0.0) result.col(kept++) = here;
    if ((over_here < 0.0) != (over_next < 0.0) && over_here != over_next && over_here != 0.0) {
      const double share = over_here / (over_here - over_next);
      if (share > 0.0 && share < 1.0) result.col(kept++) = here + share * (next - here);
    }
  }
  return result.leftCols(kept);
}

}  // namespace

PartitionFacts partition_facts(const SplittingGp& model) {
  PartitionFacts facts{model.hyperparameters().length_scale,
                       Eigen::MatrixXd(model.n_inputs(), model.n_local())};
  for (const LocalGpSummary& local : model.local_gps()) {
    facts.centers.col(local.local_gp) = local.center;
  }
  return facts;
}

Eigen::Matrix3Xd centers_in_slice(const PartitionFacts& partition, const Slice& slice) {
  const Eigen::VectorXd& scale = partition.length_scale;
  Eigen::Matrix3Xd result(3, partition.centers.cols());
  for (Index i = 0; i < result.cols(); ++i) {
    const Eigen::VectorXd center = partition.centers.col(i);
    // From the slice's corner, so that large offsets cancel before anything is squared.
    result(0, i) = (center(slice.pair.x) - slice.x.low) / scale(slice.pair.x);
    result(1, i) = (center(slice.pair.y) - slice.y.low) / scale(slice.pair.y);
    Eigen::VectorXd others = (center - slice.base).cwiseQuotient(scale);
    others(slice.pair.x) = 0.0;
    others(slice.pair.y) = 0.0;
    result(2, i) = others.squaredNorm();
  }
  return result;
}

Index cell_at(const PartitionFacts& partition, const Slice& slice, const Eigen::Matrix3Xd& centers,
              double x, double y) {
  const Vector2d place = Vector2d(x - slice.x.low, y - slice.y.low)
                             .cwiseQuotient(length_scales(partition, slice.pair));
  Index nearest = 0;
  ((centers.topRows<2>().colwise() - place).colwise().squaredNorm() + centers.row(2))
      .minCoeff(&nearest);
  return nearest;
}

std::vector<Cell> cells_of(const PartitionFacts& partition, const Slice& slice,
                           const Eigen::Matrix3Xd& centers, const std::vector<Index>& local_gps) {
  const Vector2d scale = length_scales(partition, slice.pair);
  const double width = (slice.x.high - slice.x.low) / scale(0);
  const double height = (slice.y.high - slice.y.low) / scale(1);
  std::vector<Cell> result;
  for (const Index i : local_gps) {
    Matrix2Xd polygon(2, 4);
    polygon << 0.0, width, width, 0.0, 0.0, 0.0, height, height;
    const Vector2d own = centers.col(i).head<2>();
    for (const Index j : local_gps) {
      if (j == i || polygon.cols() == 0) continue;
      // |u − c_i|² + o_i ≤ |u − c_j|² + o_j is linear in u.
      const Vector2d other = centers.col(j).head<2>();
      polygon = clipped(polygon, 2.0 * (other - own),
                        (other - own).dot(other + own) + (centers(2, j) - centers(2, i)));
    }
    if (polygon.cols() < 3) continue;
    polygon = scale.asDiagonal() * polygon;
    polygon.colwise() += Vector2d(slice.x.low, slice.y.low);
    result.push_back({i, std::move(polygon)});
  }
  return result;
}

}  // namespace splitgp
