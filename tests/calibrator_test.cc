// Innovations whose truth is known, one by one.
#include "core/watch/calibrator.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/watch/student_t.h"
#include "support/random_matrix.h"

namespace splitgp {
namespace {

double student(testing::Random& random, int degrees) {
  double squares = 0.0;
  for (int i = 0; i < degrees; ++i) squares += std::pow(random.normal(), 2);
  return random.normal() / std::sqrt(squares / degrees);
}

// Adds an innovation and says which intervals held it, each predicted before it was seen.
class Follower {
 public:
  void add(double z) {
    const double shape = 1.0 - 2.0 / calibrator_.degrees_of_freedom();
    const double level = student_t_level(std::abs(z) / std::sqrt(calibrator_.factor() * shape),
                                         calibrator_.degrees_of_freedom());
    ++rows_;
    for (std::size_t k = 0; k < kLevels.size(); ++k) held_[k] += level < kLevels[k] ? 1 : 0;
    calibrator_.add(z * z, std::nullopt);
  }
  void start_counting() {
    rows_ = 0;
    held_ = {};
  }
  double coverage(std::size_t level) const { return double(held_[level]) / double(rows_); }
  const Calibrator& calibrator() const { return calibrator_; }

  static constexpr std::array kLevels{0.5, 0.8, 0.95};

 private:
  Calibrator calibrator_;
  int rows_ = 0;
  std::array<int, 3> held_{};
};

TEST(Calibrator, ChangesNothingBeforeItHasSeenAnything) {
  const Calibrator calibrator;
  EXPECT_EQ(calibrator.factor(), 1.0);
  EXPECT_EQ(calibrator.degrees_of_freedom(), std::numeric_limits<double>::infinity());
}

TEST(Calibrator, LeavesNormalInnovationsAlone) {
  testing::Random random(1);
  Follower follower;
  for (int i = 0; i < 1000; ++i) follower.add(random.normal());
  follower.start_counting();
  for (int i = 0; i < 10'000; ++i) follower.add(random.normal());
  EXPECT_GT(follower.calibrator().degrees_of_freedom(), 12.0);
  EXPECT_NEAR(follower.calibrator().factor(), 1.0, 0.15);
  EXPECT_NEAR(follower.coverage(0), 0.50, 0.015);
  EXPECT_NEAR(follower.coverage(1), 0.80, 0.015);
  EXPECT_NEAR(follower.coverage(2), 0.95, 0.01);
}

TEST(Calibrator, LearnsHeavyTails) {
  testing::Random random(2);
  Follower follower;
  for (int i = 0; i < 1000; ++i) follower.add(0.3 * student(random, 3));
  follower.start_counting();
  for (int i = 0; i < 10'000; ++i) follower.add(0.3 * student(random, 3));
  EXPECT_LT(follower.calibrator().degrees_of_freedom(), 5.0);
  EXPECT_NEAR(follower.coverage(0), 0.50, 0.015);
  EXPECT_NEAR(follower.coverage(1), 0.80, 0.015);
  EXPECT_NEAR(follower.coverage(2), 0.95, 0.01);
}

TEST(Calibrator, FollowsAJumpWithinTensOfRows) {
  for (const double jump : {10.0, 100.0, 1e6, 0.1}) {
    for (const bool heavy : {false, true}) {
      SCOPED_TRACE(jump);
      testing::Random random(3);
      int held = 0;
      double widest = 0.0;
      constexpr int kRepeats = 20;
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        Follower follower;
        const auto draw = [&] { return heavy ? student(random, 3) : random.normal(); };
        for (int i = 0; i < 1000; ++i) follower.add(draw());
        for (int i = 0; i < 50; ++i) follower.add(jump * draw());
        follower.start_counting();
        for (int i = 0; i < 50; ++i) follower.add(jump * draw());
        held += static_cast<int>(std::lround(50.0 * follower.coverage(2)));
        widest = std::max(widest, std::sqrt(follower.calibrator().factor()) / jump);
      }
      EXPECT_GE(held, 0.90 * 50 * kRepeats);
      EXPECT_LT(widest, 6.0);  // nor so wide that it says nothing
    }
  }
}

TEST(Calibrator, ForgetsOneAbsurdRow) {
  testing::Random random(4);
  Follower follower;
  for (int i = 0; i < 1000; ++i) follower.add(random.normal());
  follower.add(1e160);  // its square is infinite
  for (int i = 0; i < 200; ++i) follower.add(random.normal());
  EXPECT_LT(follower.calibrator().factor(), 2.0);
  EXPECT_GT(follower.calibrator().factor(), 0.5);
}

TEST(Calibrator, StaysFiniteWhateverComes) {
  Calibrator calibrator;
  const double infinity = std::numeric_limits<double>::infinity();
  const double values[] = {0.0, infinity, std::nan(""), 1e-320, 1e300, 0.0};
  for (const double value : values) {
    for (int i = 0; i < 5000; ++i) {
      calibrator.add_conformal(value);
      calibrator.add(value, value);
      ASSERT_TRUE(std::isfinite(calibrator.factor()));
      ASSERT_GT(calibrator.factor(), 0.0);
      ASSERT_GT(calibrator.degrees_of_freedom(), 2.0);
    }
    std::array<double, Calibrator::kLevels.size()> widths;
    calibrator.half_widths(calibrator.degrees_of_freedom(), widths);
    for (std::size_t k = 0; k < widths.size(); ++k) {
      EXPECT_TRUE(std::isfinite(widths[k]));
      EXPECT_GE(widths[k], k == 0 ? 0.0 : widths[k - 1]);
    }
  }
}

TEST(Calibrator, CorrectsForTheAggregatedPrediction) {
  // The aggregated prediction's errors are half as large, in units of the same deviation.
  testing::Random random(5);
  Calibrator calibrator;
  for (int i = 0; i < 16'000; ++i) {
    const double z = random.normal();
    const double aggregated = std::pow(0.5 * (0.9 * z + std::sqrt(0.19) * random.normal()), 2);
    calibrator.add(z * z, calibrator.wants_aggregated() ? std::optional(aggregated) : std::nullopt);
  }
  EXPECT_NEAR(std::sqrt(calibrator.factor()), 0.5, 0.08);
}

TEST(Calibrator, ConformalIntervalsHoldTheirShareOfAnyStream) {
  // Nothing that a t describes: skewed, with quiet and loud stretches.
  testing::Random random(6);
  Calibrator calibrator;
  constexpr int kRows = 20'000;
  std::array<int, Calibrator::kLevels.size()> outside{};
  std::array<double, Calibrator::kLevels.size()> widths;
  for (int i = 0; i < kRows; ++i) {
    const double loud = i / 700 % 2 == 0 ? 1.0 : 15.0;
    const double z = loud * (random.uniform() < 0.3 ? -std::log1p(-random.uniform()) : 0.01);
    calibrator.half_widths(calibrator.degrees_of_freedom(), widths);
    for (std::size_t k = 0; k < widths.size(); ++k)
      outside[k] += z > widths[k] * std::sqrt(calibrator.factor()) ? 1 : 0;
    calibrator.add_conformal(z * z);
    calibrator.add(z * z, std::nullopt);
  }
  for (std::size_t k = 0; k < widths.size(); ++k) {
    EXPECT_NEAR(1.0 - outside[k] / double(kRows), Calibrator::kLevels[k], 0.01);
  }
}

TEST(Calibrator, GoesOnFromItsNumbers) {
  testing::Random random(7);
  Calibrator whole;
  std::optional<Calibrator> restored;
  for (int i = 0; i < 3000; ++i) {
    const double z = random.normal() * (i > 1500 ? 4.0 : 1.0);
    if (i == 1700) restored = Calibrator::restore(whole.numbers());
    for (Calibrator* one : {&whole, restored ? &*restored : nullptr}) {
      if (one == nullptr) continue;
      one->add_conformal(0.5 * z * z);
      one->add(z * z, one->wants_aggregated() ? std::optional(0.5 * z * z) : std::nullopt);
    }
  }
  EXPECT_EQ(whole.numbers(), restored->numbers());
  EXPECT_EQ(whole.factor(), restored->factor());
  EXPECT_EQ(whole.degrees_of_freedom(), restored->degrees_of_freedom());
  EXPECT_EQ(whole.numbers().size(), Calibrator::kNumbers);
  EXPECT_EQ(Calibrator::restore(Calibrator().numbers()).factor(), 1.0);
}

}  // namespace
}  // namespace splitgp
