// Errors that grow with the reach, and others that depend on how much is known, given directly.
#include "core/watch/reach_calibrator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "support/random_matrix.h"

namespace splitgp::reach_calibrator_test {
namespace {

using Eigen::Index;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Errors of rows h ahead have the deviation h^¼, and a point that was left out 1/10; predictions
// claim 1.
ReachCalibrator taught(std::uint64_t rows) {
  testing::Random random(1);
  ReachCalibrator calibrator;
  LookedBack back(1);
  back.variance.setOnes();
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (Index column = 0; column < LookedBack::kAges; ++column) {
      const double reach = static_cast<double>(LookedBack::age(column));
      back.error(0, column) = std::pow(reach, 0.25) * random.normal();
      back.share(column) = 0.5;
    }
    back.error(0, LookedBack::kLeftOut) = 0.1 * random.normal();
    back.share(LookedBack::kLeftOut) = row % 8 == 0 ? 1e-4 : 0.0;
    calibrator.next.add(std::pow(back.error(0, 0), 2), std::nullopt);
    calibrator.learn(back, back, 0, row);
  }
  return calibrator;
}

TEST(ReachCalibrator, AnswersAsForTheNextRowBeforeItHasLearned) {
  ReachCalibrator calibrator;
  for (int i = 0; i < 40; ++i) calibrator.next.add(9.0, std::nullopt);
  EXPECT_EQ(calibrator.scale(1.0, 1.0).factor, calibrator.next.factor());
  for (const double ahead : {2.0, 77.0, 1e9, kUnknown}) {
    const ReachCalibrator::Scale scale = calibrator.scale(ahead, 0.01);
    EXPECT_NEAR(scale.factor, calibrator.next.factor(), 1e-12 * calibrator.next.factor());
    EXPECT_NEAR(1.0 / scale.degrees_of_freedom, 1.0 / calibrator.next.degrees_of_freedom(), 1e-12);
    EXPECT_NEAR(scale.slope, 0.0, 1e-12);
  }
}

TEST(ReachCalibrator, LearnsHowErrorsGrowWithTheReach) {
  const ReachCalibrator calibrator = taught(8000);
  // Of normal errors, a variance that so few rows show is right to about a fifth: the farthest was
  // counted once in 64 rows.
  for (const double ahead : {1.0, 4.0, 16.0, 64.0, 256.0}) {
    EXPECT_NEAR(std::log(calibrator.scale(ahead, 0.5).factor), 0.5 * std::log(ahead), 0.3) << ahead;
  }
  EXPECT_EQ(calibrator.scale(256.0, 0.5).factor, calibrator.scale(1e9, 0.5).factor);
}

TEST(ReachCalibrator, LearnsWhatQuestionsOfAnUnknownTimeMeet) {
  const ReachCalibrator calibrator = taught(8000);
  EXPECT_NEAR(std::log(calibrator.scale(kUnknown, 1e-4).factor), std::log(0.01), 0.5);
  EXPECT_NEAR(calibrator.scale(kUnknown, 1e-4).factor, calibrator.scale(kUnknown, 1e-12).factor,
              1e-6);
  EXPECT_GT(calibrator.scale(kUnknown, 0.5).factor, 1.0);
}

TEST(ReachCalibrator, IsContinuousAndKnowsItsSlope) {
  const ReachCalibrator calibrator = taught(3000);
  constexpr double kStep = 1e-6;
  for (double ahead = 1.0; ahead < 400.0; ahead *= 1.3) {
    const double here = std::log(calibrator.scale(ahead, 0.5).factor);
    const double there = std::log(calibrator.scale(ahead * (1.0 + kStep), 0.5).factor);
    EXPECT_NEAR(here, there, 10.0 * kStep) << ahead;
  }
  for (double share = 0.9; share > 1e-11; share /= 1.7) {
    const ReachCalibrator::Scale here = calibrator.scale(kUnknown, share);
    const ReachCalibrator::Scale there = calibrator.scale(kUnknown, share * std::exp(kStep));
    // Differences of numbers of rounding error 1e-16 over 1e-6.
    EXPECT_NEAR((std::log(there.factor) - std::log(here.factor)) / kStep, here.slope, 1e-4)
        << share;
  }
}

TEST(ReachCalibrator, BelievesNothingAbsurd) {
  ReachCalibrator calibrator;
  LookedBack back(1);
  constexpr std::array kErrors{0.0, 1e150, 1e-150, -1e150};
  for (std::uint64_t row = 0; row < 2000; ++row) {
    back.error.setConstant(kErrors[row / 400 % kErrors.size()]);
    back.variance.setConstant(row % 3 == 0 ? 1e-300 : 1.0);
    back.share.setConstant(row % 5 == 0 ? 1.0 : 1e-14);
    calibrator.next.add(1.0, std::nullopt);
    calibrator.learn(back, back, 0, row);
    for (const double ahead : {3.0, 300.0, kUnknown}) {
      const ReachCalibrator::Scale scale = calibrator.scale(ahead, 0.3);
      ASSERT_TRUE(std::isfinite(scale.factor) && scale.factor > 0.0) << row;
      ASSERT_GT(scale.degrees_of_freedom, 2.0);
    }
  }
}

TEST(ReachCalibrator, IsStoredAsNumbers) {
  const ReachCalibrator calibrator = taught(1000);
  ReachCalibrator copy;
  copy.next = calibrator.next;
  copy.restore(calibrator.numbers());
  EXPECT_EQ(copy.numbers(), calibrator.numbers());
  for (const double ahead : {2.0, 60.0, kUnknown}) {
    EXPECT_EQ(copy.scale(ahead, 0.2).factor, calibrator.scale(ahead, 0.2).factor);
    EXPECT_EQ(copy.scale(ahead, 0.2).degrees_of_freedom,
              calibrator.scale(ahead, 0.2).degrees_of_freedom);
  }
}

}  // namespace
}  // namespace splitgp::reach_calibrator_test
