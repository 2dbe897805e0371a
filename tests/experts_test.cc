// The experts beside f: they help where they are right, and cost nothing where they are not.
#include "core/experts/experts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/model_file.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::experts_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Streams of what f answers, with which variance, what the experts answer and what comes.
struct Row {
  double f;
  double variance;
  Opinions opinions;
  double observed;
};

struct Losses {
  double f = 0.0;
  double mixed = 0.0;
};

Losses run(Index rows, const std::function<Row(Index)>& row_of, Mixture& mixture) {
  Losses sums;
  for (Index i = 0; i < rows; ++i) {
    const Row row = row_of(i);
    const double answer = mixture.mix(row.f, row.variance, row.opinions).mean;
    sums.f += (row.observed - row.f) * (row.observed - row.f);
    sums.mixed += (row.observed - answer) * (row.observed - answer);
    mixture.learn(row.f, row.variance, row.opinions, row.observed);
  }
  return sums;
}

Opinions only(double last_error, double last = kNone) {
  Opinions opinions;
  opinions.last_error = last_error;
  opinions.answers[Opinions::kLast] = last;
  return opinions;
}

TEST(Evidence, TakesNothingOfNoise) {
  long taken = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    testing::Random random(seed);
    Evidence evidence;
    for (int i = 0; i < 1000; ++i) {
      evidence.add(random.normal(), random.normal());
      taken += std::abs(evidence.share()) > 0.05 ? 1 : 0;
    }
  }
  // |t| > 2 once in 22 times, and then little: rather more than 0.05 only while rows are few.
  EXPECT_LT(taken, 400);
}

TEST(Evidence, TakesMostOfWhatIsRight) {
  testing::Random random(1);
  Evidence all, half, wrong;
  for (int i = 0; i < 300; ++i) {
    const double step = random.normal();
    all.add(step, step);
    half.add(0.5 * step + 0.3 * random.normal(), step);
    wrong.add(-step, step);
  }
  EXPECT_GT(all.share(), 0.95);
  EXPECT_NEAR(half.share(), 0.5, 0.05);
  EXPECT_LT(wrong.share(), -0.95);
}

TEST(Evidence, NoSingleRowDecides) {
  Evidence evidence;
  evidence.add(1e9, 1e9);
  EXPECT_EQ(evidence.share(), 0.0);
  evidence.add(1e200, 1e-200);
  evidence.add(1e-200, 1e200);
  EXPECT_TRUE(std::isfinite(evidence.share()));
}

TEST(Mixture, FollowsErrorsThatFollowEachOther) {
  testing::Random random(2);
  Mixture mixture;
  double error = 0.0;
  const Losses losses = run(
      3000,
      [&](Index) {
        const double before = error;
        error = 0.7 * error + random.normal();
        return Row{0.0, 1.0, only(before), error};
      },
      mixture);
  EXPECT_NEAR(mixture.error_share(), 0.75, 0.15);
  // The best that is possible is 1 − 0.7² = 0.51.
  EXPECT_LT(losses.mixed / losses.f, 0.56);
}

TEST(Mixture, LeavesAGoodFAlone) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    testing::Random random(seed);
    Mixture mixture;
    double before = 0.0, last = 0.0;
    const Losses losses = run(
        3000,
        [&](Index) {
          const double f = 3.0 * random.normal(), noise = 0.1 * random.normal();
          const Row row{f, 0.01, only(before, last), f + noise};
          before = noise;
          last = row.observed;
          return row;
        },
        mixture);
    EXPECT_LT(losses.mixed / losses.f, 1.005) << seed;
    EXPECT_GT(losses.mixed / losses.f, 0.99) << seed;
  }
}

// An f that is all but exact is not made worse by what helped while it was learning.
TEST(Mixture, LetsGoWhenFBecomesExact) {
  testing::Random random(3);
  Mixture mixture;
  double last = 0.0, late = 0.0;
  for (Index i = 0; i < 400; ++i) {
    const double y = random.normal();
    const bool exact = i >= 100;
    const Row row{exact ? y + 1e-9 : 2.0 * random.normal(), exact ? 1e-18 : 4.0, only(0.0, last),
                  y};
    Opinions opinions = row.opinions;
    opinions.answers[Opinions::kMean] = 0.0;
    const double answer = mixture.mix(row.f, row.variance, opinions).mean;
    if (i >= 110) late = std::max(late, std::abs(answer - y));
    if (i == 99) {
      EXPECT_GT(mixture.share(Opinions::kMean), 0.5);
    }
    mixture.learn(row.f, row.variance, opinions, y);
    last = y;
  }
  EXPECT_LT(late, 1e-8);
}

TEST(Mixture, FollowsAnExpertThatKnowsBetter) {
  testing::Random random(4);
  Mixture mixture;
  double walk = 0.0;
  const Losses losses = run(
      2000,
      [&](Index) {
        const double before = walk;
        walk += 0.1 * random.normal();
        return Row{walk + random.normal(), 1.0, only(0.0, before), walk};
      },
      mixture);
  EXPECT_GT(mixture.share(Opinions::kLast), 0.9);
  EXPECT_LT(losses.mixed / losses.f, 0.05);
}

// Whoever was right until now is wrong from now on, again and again: what the experts cost is
// limited by what they bring. The worst that was found over switches every 1 to 1,000 rows is in
// the bound.
TEST(Mixture, AnAdversaryGainsLittle) {
  double worst = 0.0;
  for (const Index every : {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}) {
    testing::Random random(static_cast<std::uint64_t>(every));
    Mixture mixture;
    const Losses losses = run(
        10'000,
        [&](Index i) {
          const double y = random.normal();
          const bool f_is_right = i / every % 2 == 0;
          const double right = y + 0.1 * random.normal(), wrong = y + random.normal();
          return Row{f_is_right ? right : wrong, 0.5, only(0.0, f_is_right ? wrong : right), y};
        },
        mixture);
    worst = std::max(worst, losses.mixed / losses.f);
  }
  EXPECT_LT(worst, 1.0);

  // And one who knows what the mixture is about to do, and moves the other way.
  testing::Random random(9);
  Mixture mixture;
  double f = 0.0, mixed = 0.0;
  for (Index i = 0; i < 20'000; ++i) {
    const Opinions opinions = only(0.0, random.normal());
    const double answer = mixture.mix(0.0, 1.0, opinions).mean;
    const double towards = opinions.answers[Opinions::kLast] > 0.0 ? 1.0 : -1.0;
    const double observed = mixture.share(Opinions::kLast) > 0.0 ? -towards : towards;
    f += observed * observed;
    mixed += (observed - answer) * (observed - answer);
    mixture.learn(0.0, 1.0, opinions, observed);
  }
  EXPECT_LT(mixed / f, 1.02);
}

// The derivatives agree with differences, by everything that an answer depends on.
TEST(Mixture, HasDerivatives) {
  testing::Random random(5);
  Mixture mixture;
  Opinions opinions;
  for (Index i = 0; i < 500; ++i) {
    const double y = random.normal();
    opinions.last_error = 0.3 * random.normal();
    opinions.answers = {0.2 * y, y + 0.5 * random.normal(), y + 0.4 * random.normal()};
    mixture.learn(y + random.normal(), 1.0 + 0.5 * random.normal() * random.normal(), opinions, y);
  }
  for (const double last_error : {0.4, -5.0}) {
    opinions.last_error = last_error;
    const double mean = 0.3, variance = 0.8, h = 1e-6;
    const Mixed here = mixture.mix(mean, variance, opinions);
    EXPECT_LT(here.variance_share, 0.9);
    const Mixed up = mixture.mix(mean + h, variance, opinions);
    EXPECT_NEAR((up.mean - here.mean) / h, here.by_mean, 1e-5);
    const Mixed wide = mixture.mix(mean, variance * std::exp(h), opinions);
    EXPECT_NEAR((wide.mean - here.mean) / h, here.by_log_variance, 1e-5);
    EXPECT_NEAR(std::log(wide.variance_share / here.variance_share) / h, here.share_by_log_variance,
                1e-5);
    opinions.answers[Opinions::kLinear] += h;
    EXPECT_NEAR((mixture.mix(mean, variance, opinions).mean - here.mean) / h, here.by_linear, 1e-5);
  }
}

TEST(SeenRange, HoldsAnswersWithinHalfARange) {
  SeenRange range;
  EXPECT_EQ(range.clamp(1e9), 1e9);  // nothing is known
  for (int i = 0; i <= 100; ++i) range.add(i % 11, 3.0);
  EXPECT_EQ(range.clamp(7.0), 7.0);
  EXPECT_EQ(range.clamp(14.9), 14.9);
  EXPECT_EQ(range.clamp(1e9), 15.0);
  EXPECT_EQ(range.clamp(-1e9), -5.0);
  // An f with tiny errors is believed farther away.
  for (int i = 0; i <= 2000; ++i) range.add(i % 11, 1e-6);
  EXPECT_EQ(range.clamp(1e3), 1e3);
}

TEST(LinearExpert, FindsALinearFunctionInAnyUnits) {
  for (const double unit : {1.0, 1e-20, 1e20}) {
    testing::Random random(6);
    LinearExpert expert(3, 2);
    EXPECT_FALSE(expert.knows());
    const auto x_of = [&] {
      VectorXd x = testing::uniform_inputs(random, 3, 1).col(0);
      x(2) = x(0);  // the same column twice, which only the sum of the slopes decides
      return VectorXd(unit * (x.array() + 5.0));
    };
    const auto y_of = [&](const VectorXd& x) {
      return VectorXd{{2.0 + 3.0 * x(0) / unit - x(1) / unit, 1e6 * x(1) / unit}};
    };
    for (Index i = 0; i < 2000; ++i) {
      const VectorXd x = x_of();
      expert.learn(x, y_of(x));
    }
    for (Index i = 0; i < 20; ++i) {
      const VectorXd x = x_of();
      EXPECT_NEAR(expert.answer(0, x), y_of(x)(0), 0.01) << unit;
      EXPECT_NEAR(expert.answer(1, x) / y_of(x)(1), 1.0, 0.01) << unit;
    }
  }
}

TEST(LinearExpert, OneBrokenReadingBendsLittle) {
  testing::Random random(7);
  LinearExpert expert(1, 1);
  for (Index i = 0; i < 1000; ++i) {
    VectorXd x = testing::uniform_inputs(random, 1, 1).col(0);
    VectorXd y = 2.0 * x;
    if (i == 500) x(0) = 9831.0;
    expert.learn(x, y);
  }
  EXPECT_NEAR(expert.slope(0, 0), 2.0, 0.3);
}

TEST(LinearExpert, HasNoOpinionWithManyInputs) {
  LinearExpert expert(65, 1);
  for (Index i = 0; i < 100; ++i) expert.learn(VectorXd::Random(65), VectorXd::Random(1));
  EXPECT_FALSE(expert.knows());
  EXPECT_EQ(expert.n_numbers(), 0U);
}

// Models.

Options options_for_streams(bool experts = true) {
  Options options;
  options.capacity = 60;
  options.kernel = KernelFamily::rbf;
  options.training_observations = 200;
  options.experts = experts;
  return options;
}

// Errors that follow each other, in every output but with another sign of the share.
testing::Stream correlated(Index rows) {
  testing::Stream stream = testing::smooth_stream(8, 2, 2, rows);
  testing::Random random(9);
  double up = 0.0, down = 0.0;
  for (Index i = 0; i < rows; ++i) {
    stream.Y(0, i) += up = 0.8 * up + 0.2 * random.normal();
    stream.Y(1, i) += down = -0.8 * down + 0.2 * random.normal();
  }
  return stream;
}

VectorXd rmse_of(const Options& options, const testing::Stream& stream) {
  SplittingGp model(stream.X.rows(), stream.Y.rows(), options);
  MatrixXd errors = stream.Y;
  Prediction before;
  for (Index i = 0; i < stream.X.cols(); ++i) {
    model.predict_then_update(stream.X.col(i), stream.Y.col(i), before);
    errors.col(i) -= before.mean.col(0);
  }
  return errors.rightCols(stream.X.cols() / 2).rowwise().norm();
}

TEST(Experts, FollowErrorsOfEachOutput) {
  const testing::Stream stream = correlated(1200);
  const VectorXd alone = rmse_of(options_for_streams(false), stream);
  const VectorXd mixed = rmse_of(options_for_streams(true), stream);
  EXPECT_LT(mixed(0) / alone(0), 0.9);
  EXPECT_LT(mixed(1) / alone(1), 0.9);
  SplittingGp model(2, 2, options_for_streams());
  model.update_batch(stream.X, stream.Y);
  const std::vector<ExpertShares> shares = model.expert_shares();
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_GT(shares[0].last_error, 0.3);
  EXPECT_LT(shares[1].last_error, -0.3);
  EXPECT_TRUE(SplittingGp(2, 2, options_for_streams(false)).expert_shares().empty());
}

// What is known of the last row fades; a question of an unknown time is f's alone.
TEST(Experts, TheLastErrorFadesWithTheHorizon) {
  const testing::Stream stream = correlated(1200);
  SplittingGp model(2, 2, options_for_streams());
  SplittingGp alone(2, 2, options_for_streams(false));
  model.update_batch(stream.X, stream.Y);
  alone.update_batch(stream.X, stream.Y);
  const MatrixXd X = stream.X.leftCols(50);
  const MatrixXd f = alone.predict(X).mean;
  const auto distance = [&](double ahead) {
    return (model.predict(X, ahead).mean - f).row(0).norm();
  };
  EXPECT_GT(distance(1.0), 3.0 * distance(64.0));
  EXPECT_EQ(model.predict(X, Ahead::kUnknown).mean, f);
  // Between the powers of two nothing jumps.
  for (const double ahead : {2.0, 4.0, 8.0}) {
    const VectorXd at = model.predict(X.col(0), ahead).mean;
    EXPECT_LT((model.predict(X.col(0), ahead * (1.0 + 1e-9)).mean - at).norm(), 1e-6);
    EXPECT_LT((model.predict(X.col(0), ahead * (1.0 - 1e-9)).mean - at).norm(), 1e-6);
  }
}

TEST(Experts, AnswersAreTheSameAloneAndInABatchAndAfterLoading) {
  const testing::TemporaryDirectory directory;
  const testing::Stream stream = correlated(400);
  SplittingGp rows(2, 2, options_for_streams()), batch(2, 2, options_for_streams());
  for (Index i = 0; i < 300; ++i) rows.update(stream.X.col(i), stream.Y.col(i));
  batch.update_batch(stream.X.leftCols(300), stream.Y.leftCols(300));
  ModelFile::create(directory / "model.splitgp", batch).checkpoint();
  SplittingGp loaded = load(directory / "model.splitgp").model;
  for (Index i = 300; i < 400; ++i) {
    rows.update(stream.X.col(i), stream.Y.col(i));
    batch.update(stream.X.col(i), stream.Y.col(i));
    loaded.update(stream.X.col(i), stream.Y.col(i));
  }
  const MatrixXd X = stream.X.leftCols(20);
  testing::expect_same_bits(rows.predict(X), batch.predict(X));
  EXPECT_LT((loaded.predict(X).mean - batch.predict(X).mean).norm(), 1e-9);
  EXPECT_EQ(Internals::of(rows).monitor.experts->numbers(),
            Internals::of(batch).monitor.experts->numbers());
  for (Index i = 0; i < X.cols(); ++i)
    EXPECT_EQ(rows.predict(X.col(i)).mean, batch.predict(X).mean.col(i));
}

TEST(Experts, DerivativesOfPredictionsAreExact) {
  const testing::Stream stream = correlated(500);
  SplittingGp model(2, 2, options_for_streams());
  model.update_batch(stream.X, stream.Y);
  const double h = 1e-5;
  for (const double ahead : {1.0, 3.0}) {
    for (Index i = 0; i < 10; ++i) {
      const VectorXd x = stream.X.col(i);
      const PredictionGradient here = model.predict_gradient(x, ahead);
      EXPECT_EQ(here.mean, model.predict(x, ahead).mean);
      for (Index k = 0; k < 2; ++k) {
        const VectorXd step = h * VectorXd::Unit(2, k);
        const Prediction up = model.predict(x + step, ahead), down = model.predict(x - step, ahead);
        for (Index o = 0; o < 2; ++o) {
          EXPECT_NEAR((up.mean(o) - down.mean(o)) / (2 * h), here.mean_gradient(o * 2 + k), 2e-4);
          EXPECT_NEAR((up.variance(o) - down.variance(o)) / (2 * h),
                      here.variance_gradient(o * 2 + k), 2e-4);
          EXPECT_NEAR((up.noise_variance(o) - down.noise_variance(o)) / (2 * h),
                      here.noise_variance_gradient(o * 2 + k), 2e-4);
        }
      }
    }
  }
}

// A broken sensor's reading moves no answer farther than half of the range seen.
TEST(Experts, NoAnswerIsAbsurd) {
  testing::Random random(10);
  SplittingGp model(2, 1, options_for_streams());
  double low = 0.0, high = 0.0;
  for (Index i = 0; i < 600; ++i) {
    VectorXd x = testing::uniform_inputs(random, 2, 1).col(0);
    const VectorXd y{{100.0 + 50.0 * x(0) + 20.0 * x(1) + 5.0 * random.normal()}};
    if (i % 97 == 96) x(1) = 9831.0;
    Prediction before;
    model.predict_then_update(x, y, before);
    if (i > 0) {
      const double margin = 0.5 * (high - low);
      if (i > 10) {
        EXPECT_GE(before.mean(0), low - margin) << i;
        EXPECT_LE(before.mean(0), high + margin) << i;
      }
    }
    low = i == 0 ? y(0) : std::min(low, y(0));
    high = i == 0 ? y(0) : std::max(high, y(0));
  }
}

TEST(Experts, SurviveEveryScale) {
  for (const double scale : {1e-150, 1e150}) {
    testing::Stream stream = testing::smooth_stream(11, 2, 1, 200);
    SplittingGp model(2, 1, options_for_streams());
    stream.Y *= 0.5;
    model.update_batch(scale * stream.X, scale * stream.Y);
    EXPECT_TRUE(model.predict(scale * stream.X, 5.0).mean.allFinite());
    for (const double number : Internals::of(model).monitor.experts->numbers())
      ASSERT_TRUE(std::isfinite(number));
  }
}

}  // namespace
}  // namespace splitgp::experts_test
