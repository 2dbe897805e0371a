#include <gtest/gtest.h>

#include <cmath>

#include "charts/numbers.h"
#include "charts/partition_slice.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;

struct Sliced {
  SplittingGp model;
  Slice slice;
  Eigen::Matrix3Xd centers;
  std::vector<Cell> cells;
};

Sliced sliced(Index inputs, double offset) {
  Options options;
  options.split_limit = 10;
  options.training = Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::LinSpaced(inputs, 0.3, 2.0);
  const testing::Stream stream = testing::smooth_stream(2, inputs, 1, 300);
  Sliced result{SplittingGp(inputs, 1, options), {}, {}, {}};
  result.model.update_batch(stream.X.array() + offset, stream.Y);
  result.slice = {{inputs - 1, 0},
                  {offset - 1.0, offset + 1.0},
                  {offset - 0.5, offset + 1.0},
                  Eigen::VectorXd::Constant(inputs, offset + 0.1)};
  result.centers = centers_in_slice(partition_facts(result.model), result.slice);
  std::vector<Index> all;
  for (Index i = 0; i < result.model.n_local(); ++i) all.push_back(i);
  result.cells = cells_of(partition_facts(result.model), result.slice, result.centers, all);
  return result;
}

double area(const Eigen::Matrix2Xd& corners) {
  double sum = 0.0;
  for (Index i = 0; i < corners.cols(); ++i) {
    const Eigen::Vector2d a = corners.col(i) - corners.col(0);
    const Eigen::Vector2d b = corners.col((i + 1) % corners.cols()) - corners.col(0);
    sum += (a(0) * b(1) - a(1) * b(0)) / 2.0;
  }
  return std::abs(sum);
}

bool inside(const Eigen::Matrix2Xd& corners, const Eigen::Vector2d& point) {
  bool left = true;
  bool right = true;
  for (Index i = 0; i < corners.cols(); ++i) {
    const Eigen::Vector2d edge = corners.col((i + 1) % corners.cols()) - corners.col(i);
    const Eigen::Vector2d to = point - corners.col(i);
    const double turn = edge(0) * to(1) - edge(1) * to(0);
    left = left && turn >= 0.0;
    right = right && turn <= 0.0;
  }
  return left || right;
}

TEST(PartitionSlice, CellsCoverTheSliceOnce) {
  for (const Index inputs : {2, 4}) {
    const Sliced part = sliced(inputs, 0.0);
    double sum = 0.0;
    for (const Cell& cell : part.cells) sum += area(cell.corners);
    EXPECT_NEAR(sum, 2.0 * 1.5, 1e-12);
    EXPECT_GT(part.cells.size(), 5u);
  }
}

TEST(PartitionSlice, PointsBelongToTheMostSimilarCenter) {
  // With the offset, squares of the coordinates themselves would lose all digits.
  for (const double offset : {0.0, 1e7}) {
    const Sliced part = sliced(3, offset);
    testing::Random random(4);
    for (int i = 0; i < 500; ++i) {
      Eigen::VectorXd x = part.slice.base;
      x(2) = random.uniform(part.slice.x.low, part.slice.x.high);
      x(0) = random.uniform(part.slice.y.low, part.slice.y.high);
      const Index nearest = part.model.explain(x).local.front().local_gp;
      EXPECT_EQ(cell_at(partition_facts(part.model), part.slice, part.centers, x(2), x(0)),
                nearest);
      Index found = -1;
      for (const Cell& cell : part.cells) {
        if (inside(cell.corners, {x(2), x(0)})) found = cell.local_gp;
      }
      EXPECT_EQ(found, nearest);
    }
  }
}

TEST(ReportNumbers, KeepFiveDigitsOfTheRange) {
  testing::Random random(6);
  for (const double scale : {1e-30, 1e-3, 1.0, 1e5, 1e30, 1e140}) {
    for (const double offset : {0.0, 1.0, 1e3}) {
      const Eigen::VectorXd values =
          scale * (offset + random.uniform_matrix(50, 1).array()).matrix();
      const nlohmann::ordered_json rounded = chart_numbers(values);
      for (Index i = 0; i < 50; ++i) {
        EXPECT_NEAR(rounded[static_cast<std::size_t>(i)].get<double>(), values(i), 1e-5 * scale);
      }
    }
  }
  EXPECT_EQ(chart_numbers(Eigen::Vector3d(0.1, NAN, 1.0 / 3.0)).dump(), "[0.1,null,0.333333]");
  EXPECT_EQ(chart_numbers(Eigen::Vector2d(2.0, 2.0)).dump(), "[2,2]");
  EXPECT_EQ(chart_numbers(Eigen::Vector2d(0.0, 0.0)).dump(), "[0,0]");
  EXPECT_EQ(chart_numbers(Eigen::Vector2d(INFINITY, -INFINITY)).dump(), "[null,null]");
  EXPECT_EQ(chart_numbers(Eigen::VectorXd()).dump(), "[]");
}

}  // namespace
}  // namespace splitgp
