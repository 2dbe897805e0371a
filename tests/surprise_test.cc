#include "core/watch/surprise.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "core/options/validate.h"
#include "core/train/train.h"
#include "core/train/training_schedule.h"
#include "splitgp/splitting_gp.h"
#include "support/random_matrix.h"
#include "support/regime_streams.h"
#include "support/sanitized.h"
#include "support/training.h"

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

// The bound that docs/lab_notes.md states, whether surprises find a better θ or not.
RC_GTEST_PROP(SurpriseSchedule, TrainsABoundedNumberOfTimes, ()) {
  TrainingSchedule schedule(4);
  schedule.trained(32, true);
  std::uint64_t n = 32;
  std::uint64_t trainings = 0;
  std::uint64_t since = n;  // patience began anew
  const auto rows = *rc::gen::inRange<std::uint64_t>(1'000, 40'000);
  const auto every = *rc::gen::inRange<std::uint64_t>(48, 200);
  while (n < rows) {
    ++n;
    if (n % every >= 47 && schedule.surprise_due(n, n - 48, 4)) {
      schedule.surprised(n, n - 48, *rc::gen::arbitrary<bool>());
      ++trainings;
    }
    RC_ASSERT(trainings <= 7 + (n - since) / 4096 + 1);
    if (schedule.due(n)) {
      schedule.trained(n, false);
      if (n < 2 * schedule.regime()) continue;
      trainings = 0;
      since = n;
    }
  }
}

TEST(SurpriseSchedule, WaitsLongerWhereTrainingDoesNotHelp) {
  for (const bool adopted : {true, false}) {
    TrainingSchedule schedule(4);
    schedule.trained(10'000, true);
    std::uint64_t n = 10'100;
    schedule.surprised(n, n - 48, adopted);
    std::vector<std::uint64_t> waited;
    while (waited.size() < 4) {
      const std::uint64_t before = n;
      while (!schedule.surprise_due(n, n - 48, 4)) ++n;
      waited.push_back(n - before);
      schedule.surprised(n, n - 48, adopted);
    }
    EXPECT_EQ(waited, adopted ? (std::vector<std::uint64_t>{64, 128, 256, 512})
                              : (std::vector<std::uint64_t>{64, 256, 1024, 4096}));
  }
}

TEST(SurpriseSchedule, AfterAChangeTheStreamBeginsAnew) {
  TrainingSchedule schedule(4);
  schedule.trained(10'000, true);
  const std::uint64_t change = 10'100;
  ASSERT_FALSE(schedule.surprise_due(change + 47, change, 4));
  ASSERT_TRUE(schedule.surprise_due(change + 48, change, 4));
  schedule.surprised(change + 48, change, true);
  schedule.trained(change + 48, true);
  EXPECT_EQ(schedule.regime(), change);
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> searches;
  for (std::uint64_t n = change + 49; n < change + 400; ++n) {
    ASSERT_EQ(schedule.rows_before(n), schedule.due(n) ? 1 : schedule.marks().next - n);
    if (!schedule.due(n)) continue;
    const bool search = schedule.search_due(n);
    rows.push_back(n - change);
    if (search) searches.push_back(n - change);
    schedule.trained(n, search);
  }
  EXPECT_EQ(rows, (std::vector<std::uint64_t>{72, 108, 162, 243, 364}));
  EXPECT_EQ(searches, (std::vector<std::uint64_t>{108, 243}));
}

TEST(SurpriseSchedule, MarksAreTheWholeState) {
  TrainingSchedule schedule(4);
  schedule.trained(10'000, true);
  schedule.surprised(10'148, 10'100, true);
  const TrainingSchedule loaded(schedule.marks());
  EXPECT_EQ(loaded.regime(), 10'100u);
  for (std::uint64_t n = 10'149; n < 12'000; ++n) {
    ASSERT_EQ(loaded.due(n), schedule.due(n));
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

// 48 rows at a new operating point where outputs are a hundred times as large, or 32 of them and
// then the usual ones.
TrainingSet changed_set(bool lasts) {
  TrainingSet set = testing::small_training_set(2, 1, 1);
  set.output_mean(0) = 170.0;
  set.output_spread(0) = 240.0;
  Random random(2);
  TrainingSet::Block block;
  block.inputs = random.normal_matrix(48, 2);
  block.outputs.resize(48, 1);
  block.noise_variance.setZero(48);
  for (Index i = 0; i < 48; ++i) {
    const double smooth = std::sin(block.inputs(i, 0) + 0.5 * block.inputs(i, 1));
    const bool is_new = lasts || i < 32;
    block.inputs(i, 0) = (is_new ? 1200.0 : 1013.0) + 6.0 * block.inputs(i, 0);
    block.outputs(i, 0) = (is_new ? 500.0 : 5.0) + (is_new ? 100.0 : 1.0) * smooth;
    block.outputs(i, 0) += 0.1 * random.normal();
    block.sequence.push_back(static_cast<std::uint64_t>(i));
  }
  set.blocks = {block};
  set.observations = 48;
  set.sequence = 48;
  return set;
}

TEST(Surprise, ANewThetaHasToForetellWhatItHasNotSeen) {
  TrainingPlan plan;
  plan.kernel = KernelFamily::rbf;
  plan.trend = Trend::none;
  plan.current.kernel = KernelFamily::rbf;
  plan.current.length_scale = Eigen::Vector2d(6.0, 1.0);
  plan.current.noise_variance = 0.01;
  plan.current = complete(plan.current, 2, 1);
  plan.current.mean(0) = 5.0;
  plan.warm = true;
  plan.surprised = true;
  plan.worthwhile = 0.5;
  EXPECT_TRUE(train(changed_set(true), plan).adopted);
  const TrainResult burst = train(changed_set(false), plan);
  EXPECT_FALSE(burst.adopted);
  EXPECT_GT(burst.objective_after, burst.objective_before + 0.5);  // on what was shown
  EXPECT_EQ(burst.theta.mean, plan.current.mean);
  EXPECT_EQ(burst.theta.length_scale, plan.current.length_scale);
}

TEST(Surprise, AStreamThatNeverSettlesTrainsABoundedNumberOfTimes) {
  const RegimeStream stream = regime_stream(Change::output_range, std::vector<Index>(16, 50), 4);
  SplittingGp model(4, 1, quick());
  for (Index i = 0; i < stream.X.cols(); ++i) {
    model.update(stream.X.col(i), stream.Y.col(i));
  }
  EXPECT_LE(surprises(model), 10);
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
