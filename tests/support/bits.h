#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cstdint>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace splitgp::testing {

/// Equality of representations: unlike ==, it distinguishes 0 from −0 and treats a NaN as equal to
/// itself.
inline ::testing::AssertionResult same_bits(double a, double b) {
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << a << " and " << b << " differ by " << a - b;
}

inline ::testing::AssertionResult same_bits(const Eigen::Ref<const Eigen::MatrixXd>& a,
                                            const Eigen::Ref<const Eigen::MatrixXd>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) {
    return ::testing::AssertionFailure() << "sizes differ: " << a.rows() << "×" << a.cols()
                                         << " and " << b.rows() << "×" << b.cols();
  }
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      const ::testing::AssertionResult same = same_bits(a(i, j), b(i, j));
      if (!same) {
        return ::testing::AssertionFailure() << "at (" << i << ", " << j << "): " << same.message();
      }
    }
  }
  return ::testing::AssertionSuccess();
}

inline void expect_same_bits(const Prediction& a, const Prediction& b) {
  EXPECT_TRUE(same_bits(a.mean, b.mean));
  EXPECT_TRUE(same_bits(a.variance, b.variance));
  EXPECT_TRUE(same_bits(a.noise_variance, b.noise_variance));
  EXPECT_TRUE(same_bits(a.degrees_of_freedom, b.degrees_of_freedom));
  EXPECT_TRUE(same_bits(a.conformal_half_widths, b.conformal_half_widths));
}

/// Spare capacity is left out: it depends on whether a model was copied.
inline void expect_same_bits(const LocalGpSummary& a, const LocalGpSummary& b) {
  EXPECT_EQ(a.local_gp, b.local_gp);
  EXPECT_TRUE(same_bits(a.center, b.center));
  EXPECT_EQ(a.owned, b.owned);
  EXPECT_EQ(a.borrowed, b.borrowed);
  EXPECT_EQ(a.theta_version, b.theta_version);
  EXPECT_EQ(a.jittered, b.jittered);
  EXPECT_TRUE(same_bits(a.condition, b.condition));
}

inline void expect_same_bits(const Explanation& a, const Explanation& b) {
  EXPECT_TRUE(same_bits(a.mean, b.mean));
  EXPECT_TRUE(same_bits(a.variance, b.variance));
  EXPECT_TRUE(same_bits(a.noise_variance, b.noise_variance));
  ASSERT_EQ(a.local.size(), b.local.size());
  for (std::size_t i = 0; i < a.local.size(); ++i) {
    EXPECT_EQ(a.local[i].local_gp, b.local[i].local_gp);
    EXPECT_TRUE(same_bits(a.local[i].log_similarity, b.local[i].log_similarity));
    EXPECT_TRUE(same_bits(a.local[i].weight, b.local[i].weight));
    EXPECT_TRUE(same_bits(a.local[i].mean, b.local[i].mean));
    EXPECT_TRUE(same_bits(a.local[i].variance, b.local[i].variance));
  }
}

inline void expect_same_bits(const std::vector<LocalGpSummary>& a,
                             const std::vector<LocalGpSummary>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same_bits(a[i], b[i]);
}

/// Everything about a model that is visible from outside, at the columns of `queries`.
inline void expect_same_bits(const SplittingGp& a, const SplittingGp& b,
                             const Eigen::MatrixXd& queries) {
  EXPECT_EQ(a.n_observations(), b.n_observations());
  EXPECT_EQ(a.theta_version(), b.theta_version());
  EXPECT_EQ(a.split_history().size(), b.split_history().size());
  expect_same_bits(a.local_gps(), b.local_gps());
  expect_same_bits(a.predict(queries), b.predict(queries));
}

}  // namespace splitgp::testing
