#include "core/watch/surprise.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "core/api/internals.h"
#include "core/train/training_schedule.h"
#include "splitgp/splitting_gp.h"
#include "support/random_matrix.h"
#include "support/regime_streams.h"
#include "support/sanitized.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::RowVectorXd;
using testing::Change;
using testing::Random;
using testing::regime_stream;
using testing::RegimeStream;

RowVectorXd one(double z) { return RowVectorXd::Constant(1, z); }

// Student's t with 3 degrees of freedom, scaled to variance 1.
double heavy_tailed(Random& random) {
  double squares = 0.0;
  for (int i = 0; i < 3; ++i) squares += std::pow(random.normal(), 2);
  return random.normal() / std::sqrt(squares);
}

TEST(Surprise, InnovationsAsPromisedDoNotSurprise) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Random random(seed);
    Surprise normal(1);
    Surprise heavy(1);
    for (int i = 0; i < 20'000; ++i) {
      normal.observe(one(random.normal()));
      heavy.observe(one(heavy_tailed(random)));
      ASSERT_FALSE(normal.loud() || normal.quiet() || heavy.loud() || heavy.quiet()) << i;
    }
  }
}

TEST(Surprise, ALouderStreamSurprisesWithinTensOfRows) {
  Random random(1);
  Surprise surprise(1);
  for (int i = 0; i < 500; ++i) surprise.observe(one(random.normal()));
  int rows = 0;
  while (!surprise.loud()) {
    surprise.observe(one(100.0 * random.normal()));
    ASSERT_LT(++rows, 50);
  }
  // And it says when that began, but for a few rows.
  EXPECT_LE(surprise.rows(), static_cast<std::uint64_t>(rows));
  EXPECT_GE(surprise.rows() + 8, static_cast<std::uint64_t>(rows));
}

TEST(Surprise, LessThanThatTakesLonger) {
  Random random(2);
  Surprise surprise(1);
  int rows = 0;
  while (!surprise.loud()) {
    surprise.observe(one(3.5 * random.normal()));
    ASSERT_LT(++rows, 400);
  }
  EXPECT_GT(rows, 50);
}

TEST(Surprise, OneWildRowDoesNotSurprise) {
  Random random(3);
  Surprise surprise(2);
  for (const double wild : {1e3, 1e150, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    for (int i = 0; i < 100; ++i) {
      surprise.observe(i == 50 ? RowVectorXd::Constant(2, wild)
                               : RowVectorXd(random.normal_matrix(1, 2)));
      ASSERT_FALSE(surprise.loud() || surprise.quiet());
    }
  }
  EXPECT_TRUE(surprise.state().recent.allFinite());
}

TEST(Surprise, OneLoudOutputIsEnoughAndAllMustBeQuiet) {
  Surprise loud(3);
  Surprise quiet(3);
  Surprise silent(3);
  for (int i = 0; i < 200; ++i) {
    loud.observe(Eigen::RowVector3d(0.5, 20.0, -1.0));
    quiet.observe(Eigen::RowVector3d(0.0, 1.0, 0.0));
    silent.observe(Eigen::RowVector3d(0.0, 0.01, -1e-5));
    EXPECT_FALSE(quiet.quiet());
    EXPECT_FALSE(silent.loud());
    if (i < 50) {
      EXPECT_FALSE(silent.quiet());
    }
  }
  EXPECT_TRUE(loud.loud());
  EXPECT_TRUE(silent.quiet());
}

// If training finds nothing better, the same rows do not surprise again.
TEST(Surprise, GetsUsedToWhatCannotBeMended) {
  Surprise loud(1);
  Surprise silent(1);
  for (int i = 0; i < 5'000; ++i) {
    loud.observe(one(10.0));
    silent.observe(one(0.0));
    if (i == 200) {
      EXPECT_TRUE(loud.loud() && silent.quiet());
      loud.get_used();
      silent.get_used();
    }
    if (i >= 200) {
      ASSERT_FALSE(loud.loud() || silent.quiet()) << i;
    }
  }
}

TEST(Surprise, GoesOnFromItsState) {
  Random random(4);
  Surprise unbroken(2);
  for (int i = 0; i < 300; ++i) unbroken.observe(random.normal_matrix(1, 2));
  Surprise loaded(unbroken.state());
  for (int i = 0; i < 60; ++i) {
    const RowVectorXd z = 10.0 * random.normal_matrix(1, 2);
    unbroken.observe(z);
    loaded.observe(z);
    EXPECT_EQ(unbroken.state().recent, loaded.state().recent);
    EXPECT_EQ(unbroken.state().usual, loaded.state().usual);
    EXPECT_EQ(unbroken.rows(), loaded.rows());
    EXPECT_EQ(unbroken.loud(), loaded.loud());
  }
}

// The bound that docs/lab_notes.md states: 7 regimes, and one for every 4,096 rows, begin
// between two scheduled trainings.
RC_GTEST_PROP(SurpriseSchedule, BeginsABoundedNumberOfRegimes, ()) {
  TrainingSchedule schedule(4);
  schedule.trained(32, true);
  std::uint64_t n = 32;
  std::uint64_t begun = 0;
  std::uint64_t since = n;  // the last scheduled training
  const auto rows = *rc::gen::inRange<std::uint64_t>(1'000, 40'000);
  const auto every = *rc::gen::inRange<std::uint64_t>(48, 200);
  while (n < rows) {
    ++n;
    if (n % every >= 47 && schedule.surprise_due(n, n - 48, 4)) {
      schedule.surprised(n, n - 48, 1, *rc::gen::arbitrary<bool>());
      ++begun;
    }
    RC_ASSERT(begun <= 7 + (n - since) / 4096 + 1);
    if (schedule.due(n)) {
      schedule.trained(n, false);
      begun = 0;
      since = n;
    }
  }
}

TEST(SurpriseSchedule, ARegimeIsTrainedWheneverItHasDoubled) {
  TrainingSchedule schedule(4);
  schedule.trained(10'000, true);
  const std::uint64_t regime = 10'100;
  ASSERT_FALSE(schedule.surprise_due(regime + 47, regime, 4));
  ASSERT_TRUE(schedule.surprise_due(regime + 48, regime, 4));
  schedule.surprised(regime + 48, regime, 1, true);
  schedule.trained(regime + 48, true);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t n = regime + 49; n < regime + 1000; ++n) {
    if (!schedule.regime_due(n)) continue;
    rows.push_back(n - regime);
    schedule.trained(n, false);
  }
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{96, 192, 384, 768}));
  schedule.returned();
  EXPECT_EQ(schedule.regime(), 0u);
}

TEST(SurpriseSchedule, MarksAreTheWholeState) {
  TrainingSchedule schedule(4);
  schedule.trained(10'000, true);
  schedule.surprised(10'148, 10'100, 3, true);
  const TrainingSchedule loaded(schedule.marks());
  EXPECT_EQ(loaded.regime(), 10'100u);
  for (std::uint64_t n = 10'149; n < 12'000; ++n) {
    ASSERT_EQ(loaded.regime_due(n), schedule.regime_due(n));
    ASSERT_EQ(loaded.surprise_due(n, n - 50, 4), schedule.surprise_due(n, n - 50, 4));
    ASSERT_EQ(loaded.search_due(n), schedule.search_due(n));
  }
}

Options quick() {
  Options options;
  options.split_limit = 40;
  options.kernel = KernelFamily::rbf;
  options.training_observations = testing::kSanitized ? 60 : 200;
  return options;
}

int surprises(const SplittingGp& model) {
  int count = 0;
  for (const TrainResult& result : model.training_history()) count += result.surprised ? 1 : 0;
  return count;
}

TEST(Surprise, AStartIsTrainedAtOnceAndSaysSo) {
  const RegimeStream stream = regime_stream(Change::start, {300, 60}, 1);
  SplittingGp model(4, 1, quick());
  model.update_batch(stream.X, stream.Y);
  const TrainResult& last = model.training_history().back();
  EXPECT_TRUE(last.surprised && last.adopted);
  EXPECT_NEAR(static_cast<double>(last.record.regime), 300.0, 10.0);
  EXPECT_LE(last.sequence, 300u + 60u);
  EXPECT_NEAR(model.hyperparameters().noise_variance, 1.0, 0.7);
}

TEST(Surprise, NotWithoutTrainingAndNotIfUnwanted) {
  const RegimeStream stream = regime_stream(Change::start, {300, 100}, 1);
  Options off = quick();
  off.training = Training::off;
  Options unwanted = quick();
  unwanted.surprise = false;
  for (const Options& options : {off, unwanted}) {
    SplittingGp model(4, 1, options);
    model.update_batch(stream.X, stream.Y);
    EXPECT_EQ(surprises(model), 0);
  }
}

TEST(Surprise, InTheBackgroundToo) {
  const RegimeStream stream = regime_stream(Change::start, {300, 100}, 1);
  Options options = quick();
  options.training = Training::background;
  SplittingGp model(4, 1, options);
  for (Index i = 0; i < stream.X.cols(); ++i) {
    model.update(stream.X.col(i), stream.Y.col(i));
    model.finish_training();
  }
  EXPECT_GE(surprises(model), 1);
  EXPECT_NEAR(model.hyperparameters().noise_variance, 1.0, 0.7);
}

// It disturbs its neighbourhood's predictions too, but not for long.
TEST(Surprise, OneWildRowDoesNotTrain) {
  for (const double wild : {20.0, 1e9}) {
    RegimeStream stream = regime_stream(Change::output_range, {420}, 2);
    stream.Y(0, 340) = wild;
    SplittingGp model(4, 1, quick());
    model.update_batch(stream.X, stream.Y);
    EXPECT_EQ(surprises(model), 0) << wild;
  }
}

// A burst is over before the first training of its regime has been confirmed.
TEST(Surprise, ThetaReturnsAfterABurst) {
  const RegimeStream stream = regime_stream(Change::operating_point, {300, 56, 60}, 3);
  SplittingGp model(4, 1, quick());
  model.update_batch(stream.X.leftCols(300), stream.Y.leftCols(300));
  const Hyperparameters before = model.hyperparameters();
  model.update_batch(stream.X.rightCols(116), stream.Y.rightCols(116));
  ASSERT_EQ(surprises(model), 2);
  const TrainResult& last = model.training_history().back();
  EXPECT_TRUE(last.record.returned);
  EXPECT_EQ(last.theta.noise_variance, before.noise_variance);
  EXPECT_EQ(last.theta.length_scale, before.length_scale);
  EXPECT_EQ(Internals::of(model).knowledge.schedule.regime(), 0u);
}

TEST(Surprise, AStreamThatNeverSettlesTrainsABoundedNumberOfTimes) {
  const RegimeStream stream = regime_stream(Change::output_range, std::vector<Index>(16, 50), 4);
  SplittingGp model(4, 1, quick());
  for (Index i = 0; i < stream.X.cols(); ++i) {
    model.update(stream.X.col(i), stream.Y.col(i));
  }
  int begun = 0;
  std::uint64_t regime = 0;
  for (const TrainResult& result : model.training_history()) {
    begun += result.surprised && result.record.regime != regime ? 1 : 0;
    regime = result.record.regime;
  }
  EXPECT_LE(begun, 10);
  EXPECT_TRUE(model.predict(stream.X).mean.allFinite());
}

TEST(Surprise, SameStreamSameModel) {
  const RegimeStream stream = regime_stream(Change::operating_point, {200, 150}, 5);
  SplittingGp batch(4, 1, quick());
  batch.update_batch(stream.X, stream.Y);
  SplittingGp rows(4, 1, quick());
  for (Index i = 0; i < stream.X.cols(); ++i) rows.update(stream.X.col(i), stream.Y.col(i));
  EXPECT_GE(surprises(rows), 1);
  EXPECT_EQ(surprises(rows), surprises(batch));
  EXPECT_EQ(rows.predict(stream.X).mean, batch.predict(stream.X).mean);
}

TEST(Surprise, ValuesOfAnySizeAreNormalDays) {
  for (const double unit : {1e-120, 1e120}) {
    RegimeStream stream = regime_stream(Change::start, {200, 100}, 6);
    SplittingGp model(4, 1, quick());
    model.update_batch(unit * stream.X, unit * stream.Y);
    const Prediction prediction = model.predict(unit * stream.X);
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_GE(surprises(model), 1);
  }
}

}  // namespace
}  // namespace splitgp
