#include "core/kernel/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/options/validate.h"
#include "splitgp/options.h"
#include "support/random_matrix.h"
#include "support/reference_kernel.h"

namespace splitgp::kernel_test {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::kFamilies;
using testing::reference_correlation;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The whole range that complete() allows.
constexpr double kShapes[] = {1e-3, 0.3, 1.0, 7.0, 1e6};

Hyperparameters theta_of(KernelFamily family, double shape = 1.0, Index inputs = 1) {
  Hyperparameters theta;
  theta.kernel = family;
  theta.shape = shape;
  theta.signal_variance = 2.5;
  return complete(theta, inputs, 1);
}

// r² from `low` to `high` in equal ratios.
ArrayXXd geometric(double low, double high, Index count) {
  return Eigen::ArrayXd::LinSpaced(count, std::log(low), std::log(high)).exp();
}

struct Derivatives {
  ArrayXd value, slope, shape_derivative;
};

Derivatives derivatives_of(const Kernel& kernel, const ArrayXd& squared_distance) {
  const ArrayXd zero = ArrayXd::Zero(squared_distance.size());
  Derivatives result{zero, zero, zero};
  kernel.derivatives(squared_distance, result.value, result.slope, result.shape_derivative);
  return result;
}

TEST(Kernel, ValuesMatchTheDefinitions) {
  for (const KernelFamily family : kFamilies) {
    for (const double shape : kShapes) {
      const Hyperparameters theta = theta_of(family, shape);
      const Kernel kernel(theta);
      // Short columns too: Eigen computes differently what does not fill a register.
      for (const Index count : {1, 2, 3, 5, 300}) {
        const ArrayXXd r2 = geometric(1e-12, 1e5, count);
        ArrayXXd values = r2;
        kernel.values_in_place(values);
        for (Index i = 0; i < count; ++i) {
          const long double rho = reference_correlation(family, r2(i), shape);
          const double expected = static_cast<double>(theta.signal_variance * rho);
          // A rounding of the exponent is one of the value, times the exponent; and below 1e-200 of
          // the signal variance the kernel is 0.
          const double exponent = 1.0 + std::sqrt(r2(i)) - kernel.log_similarity(r2(i));
          EXPECT_NEAR(values(i), expected, 8 * kEpsilon * exponent * expected + 3e-200)
              << to_string(family) << ", shape " << shape << ", r² = " << r2(i);
        }
      }
    }
  }
}

TEST(Kernel, SlopesByTheDistanceAreThoseByTheLengthScale) {
  for (const KernelFamily family : kFamilies) {
    for (const double shape : kShapes) {
      const Kernel kernel(theta_of(family, shape));
      ArrayXd r2(302);
      r2 << 0.0, geometric(1e-12, 1e5, 300), Kernel::kLargestSquaredDistance;
      const Derivatives expected = derivatives_of(kernel, r2);
      ArrayXd slopes = r2;
      kernel.slopes_in_place(expected.value, slopes);
      // Below some 1e-190 of the signal variance the two differ by what is cut off there.
      EXPECT_LE(((slopes - expected.slope).abs() - 1e-14 * expected.slope).maxCoeff(), 1e-190)
          << to_string(family) << ", shape " << shape;
      EXPECT_TRUE(slopes.isFinite().all());
    }
  }
}

TEST(Kernel, SlopeOfTheLogSimilarityMatchesDifferences) {
  for (const KernelFamily family : kFamilies) {
    for (const double shape : kShapes) {
      const Kernel kernel(theta_of(family, shape));
      for (const double r2 : {1e-3, 0.3, 1.0, 17.0, 1e4}) {
        const double h = 1e-4 * r2;
        const double difference =
            (kernel.log_similarity(r2 + h) - kernel.log_similarity(r2 - h)) / (2.0 * h);
        // h² and the rounding of similarities over h
        EXPECT_NEAR(kernel.log_similarity_slope(r2), difference,
                    1e-7 * std::abs(difference) + 1e-11 / r2 * (1.0 - kernel.log_similarity(r2)))
            << to_string(family) << ", shape " << shape << ", r² = " << r2;
      }
      EXPECT_EQ(kernel.log_similarity_slope(Kernel::kLargestSquaredDistance), 0.0);
    }
  }
  EXPECT_EQ(Kernel(theta_of(KernelFamily::matern12)).log_similarity_slope(0.0), 0.0);
}

TEST(Kernel, ValueAtNoDistanceIsTheSignalVariance) {
  for (const KernelFamily family : kFamilies) {
    const Kernel kernel(theta_of(family));
    ArrayXXd values = ArrayXXd::Zero(7, 1);
    kernel.values_in_place(values);
    EXPECT_TRUE((values == 2.5).all()) << to_string(family);
    EXPECT_EQ(kernel.log_similarity(0.0), 0.0);
  }
}

TEST(Kernel, ValuesAndLogSimilaritiesFallMonotonically) {
  const ArrayXXd r2 = geometric(1e-300, 0.9e300, 20'001);
  for (const KernelFamily family : kFamilies) {
    for (const double shape : kShapes) {
      SCOPED_TRACE(::testing::Message() << to_string(family) << ", shape " << shape);
      const Kernel kernel(theta_of(family, shape));
      ArrayXXd values = r2;
      kernel.values_in_place(values);
      for (Index i = 0; i < r2.size(); ++i) {
        // The functions used are good to an ulp or two but not themselves monotone.
        const double slack = 1 + 4 * kEpsilon;
        ASSERT_TRUE(values(i) >= 0.0 && values(i) <= 2.5 * slack) << r2(i) << ": " << values(i);
        const double similarity = kernel.log_similarity(r2(i));
        ASSERT_TRUE(std::isfinite(similarity)) << r2(i);
        if (i == 0) continue;
        ASSERT_LE(values(i), values(i - 1) * slack) << r2(i);
        const double before = kernel.log_similarity(r2(i - 1));
        ASSERT_LE(similarity, before + 4 * kEpsilon * std::sqrt(r2(i))) << r2(i);
        if (r2(i) > 1.0) {
          ASSERT_LT(similarity, before) << r2(i);
        }
      }
    }
  }
}

TEST(Kernel, LogSimilarityIsTheLogOfTheCorrelation) {
  const ArrayXXd r2 = geometric(1e-20, 1e6, 500);
  for (const KernelFamily family : kFamilies) {
    for (const double shape : kShapes) {
      const Kernel kernel(theta_of(family, shape));
      for (const double value : r2.reshaped()) {
        const long double rho = reference_correlation(family, value, shape);
        if (!(rho > 1e-4000L)) continue;  // the reference underflows too
        const double expected = static_cast<double>(std::log(rho));
        // Matérn: the difference of log(1 + √3r + …) and √3r, each rounded. Near 1 the reference
        // itself is only known to an ulp of long double.
        EXPECT_NEAR(kernel.log_similarity(value), expected,
                    8 * kEpsilon * (std::sqrt(value) + std::abs(expected)) + 1e-18)
            << to_string(family) << ", shape " << shape << ", r² = " << value;
      }
    }
  }
}

TEST(Kernel, SquaredDistancesKeepTheirDigitsAtLargeOffsets) {
  testing::Random random(2);
  for (const Index d : {1, 3}) {
    Hyperparameters theta = theta_of(KernelFamily::rbf, 1.0, d);
    theta.length_scale = VectorXd::LinSpaced(d, 0.5, 3.0);
    const MatrixXd points = random.normal_matrix(37, d).array() + 1e8;
    const VectorXd x = random.normal_matrix(d, 1).array() + 1e8;
    VectorXd squared(points.rows());
    Kernel(theta).squared_distances(points, x, squared);
    for (Index i = 0; i < points.rows(); ++i) {
      long double expected = 0.0L;
      for (Index k = 0; k < d; ++k) {
        const long double difference = static_cast<long double>(points(i, k)) - x(k);
        expected += std::pow(difference / theta.length_scale(k), 2.0L);
      }
      // The difference, the length scale, the product (all squared) and d sums are rounded.
      EXPECT_NEAR(squared(i), static_cast<double>(expected),
                  static_cast<double>(8 + d) * kEpsilon * static_cast<double>(expected));
    }
  }
}

TEST(Kernel, HugeDistancesGiveZeroAndNoNan) {
  for (const double length_scale : {1.0, 1e-150, 1e100}) {
    for (const KernelFamily family : kFamilies) {
      SCOPED_TRACE(::testing::Message() << to_string(family) << ", length scale " << length_scale);
      Hyperparameters theta = theta_of(family, 1.0, 2);
      theta.length_scale.setConstant(length_scale);
      const Kernel kernel(theta);
      // Five rows: a full register and what is left over, for every register width.
      const MatrixXd points = MatrixXd::Constant(5, 2, 1e150);
      VectorXd values(5);
      kernel.squared_distances(points, VectorXd::Constant(2, -1e150), values);
      ASSERT_TRUE(values.allFinite());
      EXPECT_TRUE(std::isfinite(kernel.log_similarity(values(0))));
      const Derivatives derivatives = derivatives_of(kernel, values.array());
      // A derivative by a log length scale multiplies the slope by some part of r².
      const ArrayXd by_length_scale = derivatives.slope * values.array();
      kernel.values_in_place(values.array());
      // At r² = 1e100 and more only rational_quadratic has anything left: 2/r².
      EXPECT_TRUE((values.array() <= 1e-99).all()) << values.transpose();
      if (family != KernelFamily::rational_quadratic) {
        EXPECT_TRUE((values.array() == 0.0).all()) << values.transpose();
      }
      EXPECT_TRUE((by_length_scale >= 0.0).all() && (by_length_scale <= 1e-99).all())
          << by_length_scale.transpose();
      EXPECT_TRUE(derivatives.shape_derivative.allFinite());
    }
  }
}

// ∂k/∂log h by the central difference of fourth order, of the definition in long double. With this
// step truncation (far out) and rounding (where a large shape hardly matters) both stay below 1e-7.
template <typename Function>
double log_derivative(const Function& k) {
  const long double h = 3e-4L;
  const auto difference = [&](long double step) { return k(std::exp(step)) - k(std::exp(-step)); };
  return static_cast<double>((8 * difference(h) - difference(2 * h)) / (12 * h));
}

TEST(Kernel, DerivativesMatchCentralDifferences) {
  testing::Random random(7);
  for (const KernelFamily family : kFamilies) {
    for (const double shape : kShapes) {
      Hyperparameters theta = theta_of(family, shape, 3);
      theta.length_scale << 0.4, 1.0, 3.0;
      const Kernel kernel(theta);
      for (int pair = 0; pair < 50; ++pair) {
        SCOPED_TRACE(::testing::Message()
                     << to_string(family) << ", shape " << shape << ", " << pair);
        const VectorXd difference = random.normal_matrix(3, 1);
        const VectorXd scaled = difference.cwiseQuotient(theta.length_scale).cwiseAbs2();
        // One value in a block of five, so that every way of computing it is covered.
        const Derivatives derivatives = derivatives_of(kernel, ArrayXd::Constant(5, scaled.sum()));
        const Index at = pair % 5;
        const auto near = [](double actual, double expected) {
          EXPECT_NEAR(actual, expected, 1e-6 * std::abs(expected) + 1e-30);
        };
        for (Index k = 0; k < 3; ++k) {
          near(derivatives.slope(at) * scaled(k), log_derivative([&](long double factor) {
                 const long double rest = static_cast<long double>(scaled.sum()) - scaled(k);
                 const long double r2 = rest + scaled(k) / (factor * factor);
                 return theta.signal_variance * reference_correlation(family, r2, shape);
               }));
        }
        near(derivatives.value(at), log_derivative([&](long double factor) {
               return factor * theta.signal_variance *
                      reference_correlation(family, scaled.sum(), shape);
             }));
        near(derivatives.shape_derivative(at), log_derivative([&](long double factor) {
               return theta.signal_variance *
                      reference_correlation(family, scaled.sum(), shape * factor);
             }));
      }
    }
  }
}

TEST(Kernel, DerivativesAreFiniteAtNoDistance) {
  for (const KernelFamily family : kFamilies) {
    const Derivatives derivatives = derivatives_of(Kernel(theta_of(family)), ArrayXd::Zero(3));
    EXPECT_TRUE(derivatives.slope.allFinite()) << to_string(family);
    EXPECT_TRUE((derivatives.shape_derivative == 0.0).all()) << to_string(family);
  }
}

// Threads have their columns wherever Eigen's allocator puts them, and must get the same bits
// there. It promises multiples of EIGEN_MAX_ALIGN_BYTES; registers wider than that would make Eigen
// compute the first values of some columns differently.
TEST(Kernel, BitsDoNotDependOnWhereAColumnLies) {
  constexpr Index kCount = 23;
  constexpr Index kStep = EIGEN_MAX_ALIGN_BYTES / sizeof(double);
  alignas(64) double memory[kCount + 3 * kStep];
  testing::Random random(5);
  for (const KernelFamily family : kFamilies) {
    const Kernel kernel(theta_of(family, 0.3, 3));
    for (int trial = 0; trial < 50; ++trial) {
      const MatrixXd points = random.normal_matrix(kCount, 3);
      const VectorXd x = random.normal_matrix(3, 1);
      VectorXd first;
      for (Index offset = 0; offset <= 3 * kStep; offset += kStep) {
        Eigen::Map<VectorXd> column(memory + offset, kCount);
        kernel.squared_distances(points, x, column);
        kernel.values_in_place(column.array());
        if (offset == 0) first = column;
        ASSERT_EQ(column, first) << to_string(family) << ", offset " << offset;
      }
    }
  }
}

}  // namespace
}  // namespace splitgp::kernel_test
