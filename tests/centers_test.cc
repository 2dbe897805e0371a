#include "core/partition/centers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;

Kernel kernel_with(const VectorXd& length_scale) {
  Hyperparameters theta;
  theta.kernel = KernelFamily::rbf;
  theta.length_scale = length_scale;
  return Kernel(theta);
}

// The centers one by one, and a full sort.
class BruteForce {
 public:
  void set(Index local_gp, const VectorXd& center) {
    if (local_gp == std::ssize(centers_)) centers_.emplace_back();
    centers_[static_cast<std::size_t>(local_gp)] = center;
  }
  void remove(Index local_gp) {
    centers_[static_cast<std::size_t>(local_gp)] = centers_.back();
    centers_.pop_back();
  }
  std::vector<Index> most_similar(const VectorXd& length_scale, const VectorXd& x,
                                  Index count) const {
    std::vector<std::pair<double, Index>> all;
    for (Index i = 0; i < std::ssize(centers_); ++i) {
      double r2 = 0.0;
      for (Index k = 0; k < x.size(); ++k) {
        r2 += std::pow((centers_[static_cast<std::size_t>(i)](k) - x(k)) * (1.0 / length_scale(k)),
                       2);
      }
      all.emplace_back(r2, i);
    }
    std::sort(all.begin(), all.end());
    std::vector<Index> result;
    for (Index i = 0; i < std::min(count, std::ssize(all)); ++i)
      result.push_back(all[static_cast<std::size_t>(i)].second);
    return result;
  }

 private:
  std::vector<VectorXd> centers_;
};

std::vector<Index> numbers_of(const std::vector<Neighbor>& neighbors) {
  std::vector<Index> result;
  for (const Neighbor& neighbor : neighbors) result.push_back(neighbor.local_gp);
  return result;
}

class InDimensions : public ::testing::TestWithParam<int> {};

// Centers appear, move and are searched, while θ changes now and then.
TEST_P(InDimensions, SearchEqualsBruteForce) {
  const Index d = GetParam();
  Random random(static_cast<std::uint64_t>(d));
  VectorXd length_scale = VectorXd::Ones(d);
  Centers centers(d);
  BruteForce brute_force;
  std::vector<Neighbor> neighbors;
  constexpr int kSteps = testing::kSanitized ? 1200 : 3000;
  for (int step = 0; step < kSteps; ++step) {
    if (step % 500 == 499) {
      for (double& value : length_scale) value = std::exp(2.0 * random.normal());
    }
    const Kernel kernel = kernel_with(length_scale);
    const bool adds = centers.size() == 0 || random.uniform() < 0.4;
    const Index local_gp = adds ? centers.size() : random.index(centers.size());
    VectorXd center = random.normal_matrix(d, 1);
    if (step % 7 == 0) center = center.array().round();  // repeated centers too
    centers.set(local_gp, center, kernel);
    brute_force.set(local_gp, center);
    centers.follow(kernel);
    const VectorXd elsewhere = random.normal_matrix(d, 1);
    const VectorXd x = step % 3 == 0 ? center : elsewhere;
    ASSERT_EQ(centers.most_similar(kernel, x), brute_force.most_similar(length_scale, x, 1)[0]);
    const Index count = step % 50 == 0 ? 500 : 9;
    centers.most_similar(kernel, x, count, neighbors);
    ASSERT_EQ(numbers_of(neighbors), brute_force.most_similar(length_scale, x, count)) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Centers, InDimensions, ::testing::Values(1, 2, 3, 4, 5, 8, 13, 21, 30));

// The first input is time: leaves fill at one end, and older centers drift out of their cells.
TEST(Centers, SearchEqualsBruteForceWhenDataArriveInOrder) {
  Random random(7);
  const VectorXd length_scale = VectorXd::Ones(3);
  const Kernel kernel = kernel_with(length_scale);
  Centers centers(3);
  BruteForce brute_force;
  std::vector<Neighbor> neighbors;
  for (int step = 0; step < 4000; ++step) {
    const bool adds = centers.size() == 0 || step % 2 == 0;
    const Index local_gp = adds ? centers.size() : random.index(centers.size());
    VectorXd center = random.normal_matrix(3, 1);
    center(0) = 0.01 * step;
    centers.set(local_gp, center, kernel);
    brute_force.set(local_gp, center);
    if (step % 5 != 0) continue;
    VectorXd x = random.normal_matrix(3, 1);
    x(0) = 0.01 * step * random.uniform();
    centers.most_similar(kernel, x, 9, neighbors);
    ASSERT_EQ(numbers_of(neighbors), brute_force.most_similar(length_scale, x, 9)) << step;
  }
}

// They come and go, a few or nearly all of them, in place after place.
TEST(Centers, SearchEqualsBruteForceWhenCentersAreRemoved) {
  Random random(8);
  const VectorXd length_scale = VectorXd::Ones(2);
  const Kernel kernel = kernel_with(length_scale);
  Centers centers(2);
  BruteForce brute_force;
  std::vector<Neighbor> neighbors;
  std::size_t largest = 0;
  for (int step = 0; step < 12000; ++step) {
    // Grows to some hundred, then shrinks, now and then to nothing; the third time it is as large
    // as before, and needs no more memory.
    const bool grows = step % 2000 < 1000;
    if (centers.size() > 0 && random.uniform() < (grows ? 0.2 : 0.85)) {
      const Index removed = random.index(centers.size());
      centers.remove(removed);
      brute_force.remove(removed);
    } else {
      const bool adds = centers.size() == 0 || random.uniform() < 0.7;
      const Index local_gp = adds ? centers.size() : random.index(centers.size());
      const VectorXd center =
          random.normal_matrix(2, 1) + VectorXd::Constant(2, 0.002 * static_cast<double>(step));
      centers.set(local_gp, center, kernel);
      brute_force.set(local_gp, center);
    }
    ASSERT_EQ(std::ssize(brute_force.most_similar(length_scale, VectorXd::Zero(2), 100000)),
              centers.size());
    if (step % 2000 == 1999) {
      if (step < 6000) largest = std::max(largest, centers.memory_bytes());
      EXPECT_LE(centers.memory_bytes(), largest + largest / 4);
    }
    const VectorXd x =
        2.0 * random.normal_matrix(2, 1) + VectorXd::Constant(2, 0.002 * static_cast<double>(step));
    centers.most_similar(kernel, x, 9, neighbors);
    ASSERT_EQ(numbers_of(neighbors), brute_force.most_similar(length_scale, x, 9)) << step;
  }
}

// Other units, and while the new tree grows, centers are added, moved and removed.
TEST(Centers, SearchEqualsBruteForceWhileTheTreeIsRecut) {
  Random random(9);
  VectorXd length_scale = VectorXd::Ones(3);
  Centers centers(3);
  BruteForce brute_force;
  std::vector<Neighbor> neighbors;
  int recut = 0;
  for (int step = 0; step < 3000; ++step) {
    if (step >= 1000 && step % 200 == 0) {
      for (double& value : length_scale) value = std::exp(2.0 * random.normal());
    }
    const Kernel kernel = kernel_with(length_scale);
    const double chance = random.uniform();
    if (step >= 1000 && chance < 0.4) {
      const Index removed = random.index(centers.size());
      centers.remove(removed);
      brute_force.remove(removed);
    } else {
      const bool adds = step < 1000 || chance < 0.7;
      const Index local_gp = adds ? centers.size() : random.index(centers.size());
      const VectorXd center = random.normal_matrix(3, 1);
      centers.set(local_gp, center, kernel);
      brute_force.set(local_gp, center);
    }
    if (step % 3 != 0) centers.follow(kernel);  // now and then a row changes several centers
    recut += centers.is_recut() ? 1 : 0;
    if (step < 900) continue;
    const VectorXd x = random.normal_matrix(3, 1);
    centers.most_similar(kernel, x, 9, neighbors);
    ASSERT_EQ(numbers_of(neighbors), brute_force.most_similar(length_scale, x, 9)) << step;
  }
  EXPECT_GT(recut, 500);
}

TEST(Centers, TheTreeIsRecutForOtherUnitsOnly) {
  Random random(10);
  Centers centers(2);
  const Kernel kernel = kernel_with(VectorXd::Ones(2));
  for (Index i = 0; i < 400; ++i) centers.set(i, random.normal_matrix(2, 1), kernel);
  centers.follow(kernel);
  EXPECT_FALSE(centers.is_recut());
  centers.follow(kernel_with(VectorXd::Constant(2, 10.0)));  // the same units but for their size
  EXPECT_FALSE(centers.is_recut());
  const std::size_t memory = centers.memory_bytes();
  const Kernel other = kernel_with(VectorXd{{1.0, 3.0}});
  centers.follow(other);
  EXPECT_TRUE(centers.is_recut());
  int updates = 1;
  for (; centers.is_recut(); ++updates) centers.follow(other);
  EXPECT_LE(updates, 60);  // some at once
  EXPECT_LT(static_cast<double>(centers.memory_bytes()), 1.5 * static_cast<double>(memory));
  centers.follow(other);
  EXPECT_FALSE(centers.is_recut());
}

TEST(Centers, OneCenterRepeatedGivesTheLowestNumbers) {
  Centers centers(2);
  const Kernel kernel = kernel_with(VectorXd::Ones(2));
  for (Index i = 0; i < 200; ++i) centers.set(i, VectorXd::Zero(2), kernel);
  std::vector<Neighbor> neighbors;
  centers.most_similar(kernel, VectorXd::Ones(2), 3, neighbors);
  EXPECT_EQ(numbers_of(neighbors), (std::vector<Index>{0, 1, 2}));
}

TEST(Centers, DistancesBeyondTheLargestAreTies) {
  Centers centers(1);
  const Kernel kernel = kernel_with(VectorXd::Constant(1, 1e-10));
  for (Index i = 0; i < 40; ++i)
    centers.set(i, VectorXd::Constant(1, 1e150 * static_cast<double>(i) / 40.0), kernel);
  std::vector<Neighbor> neighbors;
  centers.most_similar(kernel, VectorXd::Constant(1, -1e150), 2, neighbors);
  EXPECT_EQ(numbers_of(neighbors), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace splitgp
