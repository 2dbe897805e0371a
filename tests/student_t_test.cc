#include "core/watch/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace splitgp {
namespace {

constexpr double kNormal = std::numeric_limits<double>::infinity();

TEST(StudentT, HalfWidthsMatchTheTables) {
  // Abramowitz and Stegun, tables 26.5 and 26.10; the digits are SciPy's.
  EXPECT_NEAR(student_t_half_width(0.95, kNormal), 1.959963984540054, 1e-13);
  EXPECT_NEAR(student_t_half_width(0.5, kNormal), 0.6744897501960817, 1e-13);
  EXPECT_NEAR(student_t_half_width(0.999999, kNormal), 4.8916384756929325, 1e-9);
  EXPECT_NEAR(student_t_half_width(0.95, 1.0), 12.706204736174694, 1e-11);
  EXPECT_NEAR(student_t_half_width(0.5, 1.0), 1.0000000000000002, 1e-13);
  EXPECT_NEAR(student_t_half_width(0.95, 2.0), 4.302652729749462, 1e-12);
  EXPECT_NEAR(student_t_half_width(0.5, 2.0), 0.8164965809277261, 1e-13);
  EXPECT_NEAR(student_t_half_width(0.95, 5.0), 2.5705818356363146, 1e-12);
  EXPECT_NEAR(student_t_half_width(0.99, 10.0), 3.16927267261695, 1e-12);
  EXPECT_NEAR(student_t_half_width(0.8, 30.0), 1.3104150253913955, 1e-12);
  EXPECT_NEAR(student_t_half_width(0.95, 120.0), 1.9799304050824402, 1e-12);
}

TEST(StudentT, LevelIsTheInverseOfTheHalfWidth) {
  for (const double degrees : {2.5, 3.0, 7.3, 40.0, 9'999.0, 10'001.0, 1e7, kNormal}) {
    double before = 0.0;
    for (const double level : {1e-6, 0.01, 0.3, 0.5, 0.8, 0.95, 0.999, 1.0 - 1e-9}) {
      const double width = student_t_half_width(level, degrees);
      EXPECT_GT(width, before);
      EXPECT_NEAR(student_t_level(width, degrees), level, 1e-12) << degrees;
      before = width;
    }
  }
}

TEST(StudentT, BecomesTheNormalDistributionWithoutAJump) {
  // Where one formula takes over from the other, and at the end.
  for (const double level : {0.1, 0.5, 0.95, 0.9999}) {
    EXPECT_NEAR(student_t_half_width(level, 9'999.9) / student_t_half_width(level, 10'000.1), 1.0,
                1e-8);
    EXPECT_NEAR(student_t_half_width(level, 1e14), student_t_half_width(level, kNormal), 1e-11);
  }
  EXPECT_NEAR(student_t_log_density(4.0, 1e12), student_t_log_density(4.0, kNormal), 1e-10);
}

TEST(StudentT, LogDensityIsThatOfTheDistribution) {
  // Cauchy's has a closed form, and the derivative of the level is twice the density.
  EXPECT_NEAR(student_t_log_density(9.0, 1.0), -std::log(M_PI * 10.0), 1e-13);
  for (const double degrees : {2.5, 4.0, 11.0, kNormal}) {
    const double h = 1e-5;
    const double slope =
        (student_t_level(1.3 + h, degrees) - student_t_level(1.3 - h, degrees)) / (2.0 * h);
    EXPECT_NEAR(std::log(slope / 2.0), student_t_log_density(1.3 * 1.3, degrees), 1e-8);
  }
  EXPECT_TRUE(std::isfinite(student_t_log_density(1e300, 3.0)));
}

}  // namespace
}  // namespace splitgp
