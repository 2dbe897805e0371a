#include "core/partition/cut_boxes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using testing::Random;

BoxCut cut_boxes(const ArrayXXd& low, const ArrayXXd& high, int least) {
  BoxCutter cutter;
  cutter.low = low;
  cutter.high = high;
  return cutter.cut(least);
}

Index behind(const BoxCut& cut) { return std::count(cut.behind.begin(), cut.behind.end(), true); }

// Two rows of boxes, one above the other: only the second input has a gap.
TEST(CutBoxes, CutsWhereNothingOverlaps) {
  ArrayXXd low(2, 8), high(2, 8);
  for (Index i = 0; i < 8; ++i) {
    low.col(i) << 0.6 * static_cast<double>(i), i % 2 == 0 ? 0.0 : 5.0;
    high.col(i) = low.col(i) + 1.0;
  }
  const BoxCut cut = cut_boxes(low, high, 3);
  EXPECT_EQ(cut.input, 1);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(cut.behind[i], i % 2 == 1) << i;
}

// Points overlap nowhere, so the smaller boxes decide.
TEST(CutBoxes, CutsPointsIntoSmallParts) {
  ArrayXXd points(2, 6);
  points << 0, 1, 2, 10, 11, 12,  //
      0, 1, 0, 1, 0, 1;
  const BoxCut cut = cut_boxes(points, points, 2);
  EXPECT_EQ(cut.input, 0);
  EXPECT_EQ(cut.behind, (std::vector<bool>{false, false, false, true, true, true}));
}

TEST(CutBoxes, LeavesEnoughOnBothSides) {
  ArrayXXd points(1, 10);
  points << 0, 100, 101, 102, 103, 104, 105, 106, 107, 108;  // the gap would leave one alone
  EXPECT_EQ(behind(cut_boxes(points, points, 4)), 6);
}

TEST(CutBoxes, CutsWhatCannotBeToldApart) {
  const ArrayXXd same = ArrayXXd::Constant(3, 16, 2.5);
  EXPECT_GE(behind(cut_boxes(same, same, 5)), 5);
  EXPECT_LE(behind(cut_boxes(same, same, 5)), 11);
}

TEST(CutBoxes, CutsWhatIsBeyondTheLargestNumber) {
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  const ArrayXXd beyond = ArrayXXd::Constant(2, 16, kBeyond);
  EXPECT_EQ(behind(cut_boxes(-beyond, beyond, 5)), 8);
  EXPECT_GE(behind(cut_boxes(beyond, beyond, 5)), 5);
  EXPECT_LE(behind(cut_boxes(beyond, beyond, 5)), 11);
  ArrayXXd large = ArrayXXd::Constant(1, 4, 1e200);  // its square overflows
  large(0, 0) = large(0, 1) = -1e200;
  EXPECT_EQ(behind(cut_boxes(large, large, 2)), 2);
}

// Boxes in front come before those behind, by their middles along the input that was cut.
RC_GTEST_PROP(CutBoxes, FollowsTheOrderAlongOneInput, (std::uint64_t seed)) {
  Random random(seed);
  const Index inputs = 1 + random.index(5);
  const ArrayXXd low = random.normal_matrix(inputs, 16).array();
  const ArrayXXd high = low + random.normal_matrix(inputs, 16).array().abs();
  const BoxCut cut = cut_boxes(low, high, 5);
  RC_ASSERT(behind(cut) >= 5 && behind(cut) <= 11);
  double last_in_front = -std::numeric_limits<double>::infinity();
  double first_behind = -last_in_front;
  for (Index i = 0; i < 16; ++i) {
    const double middle = 0.5 * low(cut.input, i) + 0.5 * high(cut.input, i);
    if (cut.behind[static_cast<std::size_t>(i)]) {
      first_behind = std::min(first_behind, middle);
    } else {
      last_in_front = std::max(last_in_front, middle);
    }
  }
  RC_ASSERT(last_in_front <= first_behind);
}

}  // namespace
}  // namespace splitgp
