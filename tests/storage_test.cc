#include "splitgp/storage.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <utility>

namespace splitgp {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(Storage, IsUsedLikeEigen) {
  Vector v{1.0, 2.0, 3.0};
  EXPECT_EQ(v.size(), 3);
  EXPECT_EQ(v.sum(), 6.0);
  v = 2.0 * v;  // from itself
  EXPECT_EQ(v, VectorXd({{2.0, 4.0, 6.0}}));
  v = VectorXd::Ones(5);  // another size
  EXPECT_EQ(v, VectorXd::Ones(5));
  const Matrix m = MatrixXd::Identity(3, 2);
  EXPECT_EQ(m.rows(), 3);
  EXPECT_EQ(m.cols(), 2);
  EXPECT_EQ(m.col(1), VectorXd({{0.0, 1.0, 0.0}}));
  const Eigen::Ref<const MatrixXd> seen = m;
  EXPECT_EQ(seen.data(), m.data()) << "without a copy";
  EXPECT_EQ(Vector().size(), 0);
  EXPECT_EQ(Matrix().size(), 0);
}

TEST(Storage, CopiesHaveTheirOwnMemory) {
  Matrix one = MatrixXd::Constant(2, 2, 1.0);
  Matrix two = one;
  two(0, 0) = 5.0;
  EXPECT_EQ(one(0, 0), 1.0);
  one = two;
  two(0, 0) = 7.0;
  EXPECT_EQ(one(0, 0), 5.0);
  Matrix& self = one;
  one = self;
  EXPECT_EQ(one(0, 0), 5.0);
}

TEST(Storage, MovesTakeTheMemoryAlong) {
  Matrix one = MatrixXd::Constant(40, 40, 3.0);
  const double* const memory = one.data();
  Matrix two = std::move(one);
  EXPECT_EQ(two.data(), memory);
  EXPECT_EQ(two(39, 39), 3.0);
  Matrix three;
  three = std::move(two);
  EXPECT_EQ(three.data(), memory);
  EXPECT_EQ(two.size(), 0);  // NOLINT: what is left is empty
  one = three;               // and usable
  EXPECT_EQ(one, three);
  std::swap(one, three);
  EXPECT_EQ(one.data(), memory);
}

TEST(Storage, ResizingToTheSameSizeKeepsTheMemory) {
  Matrix m(3, 4);
  const double* const memory = m.data();
  m.resize(2, 6);
  EXPECT_EQ(m.data(), memory);
  EXPECT_EQ(m.rows(), 2);
}

}  // namespace
}  // namespace splitgp
