// What calibration does to a model's answers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/api/internals.h"
#include "splitgp/error.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Options options_with(Calibration calibration) {
  Options options;
  options.split_limit = 20;
  options.calibration = calibration;
  options.training = Training::off;
  options.hyperparameters.emplace().length_scale = Vector{0.7};
  options.hyperparameters->noise_variance = 0.03;
  return options;
}

// One that has to find the scale of the data.
Options trained_with(Calibration calibration) {
  Options options;
  options.split_limit = 20;
  options.kernel = KernelFamily::matern32;
  options.training_observations = 60;
  options.calibration = calibration;
  return options;
}

SplittingGp learned(Calibration calibration, const testing::Stream& stream, int threads = 1) {
  Options options = options_with(calibration);
  options.hyperparameters->length_scale = VectorXd::Constant(stream.X.rows(), 0.7);
  options.threads = threads;
  SplittingGp model(stream.X.rows(), stream.Y.rows(), options);
  model.update_batch(stream.X, stream.Y);
  return model;
}

TEST(CalibrationOption, ChangesNeitherMeansNorWeightsNorThePartition) {
  const testing::Stream stream = testing::smooth_stream(1, 2, 2, 300);
  const SplittingGp plain = learned(Calibration::none, stream);
  for (const Calibration calibration : {Calibration::adaptive, Calibration::conformal}) {
    const SplittingGp model = learned(calibration, stream);
    EXPECT_EQ(model.n_local(), plain.n_local());
    EXPECT_EQ(model.predict(stream.X).mean, plain.predict(stream.X).mean);
    EXPECT_NE(model.predict(stream.X).variance, plain.predict(stream.X).variance);
    // Conformal intervals differ, the density does not.
    EXPECT_EQ(model.predict(stream.X).variance,
              learned(Calibration::adaptive, stream).predict(stream.X).variance);
    const Explanation explained = model.explain(stream.X.col(3));
    const Explanation expected = plain.explain(stream.X.col(3));
    ASSERT_EQ(explained.local.size(), expected.local.size());
    VectorXd deviation = VectorXd::Zero(2);
    for (std::size_t i = 0; i < explained.local.size(); ++i) {
      EXPECT_EQ(explained.local[i].weight, expected.local[i].weight);
      deviation += explained.local[i].weight * explained.local[i].variance.cwiseSqrt();
    }
    for (Index o = 0; o < 2; ++o) {
      EXPECT_NEAR(deviation(o) * deviation(o) / explained.variance(o), 1.0, 1e-9);
      EXPECT_GT(explained.degrees_of_freedom(o), 2.0);
    }
  }
}

TEST(CalibrationOption, NoneIsThetaAlone) {
  const testing::Stream stream = testing::smooth_stream(2, 2, 1, 200);
  const SplittingGp model = learned(Calibration::none, stream);
  const Prediction p = model.predict(stream.X);
  const Hyperparameters& theta = model.hyperparameters();
  EXPECT_TRUE((p.noise_variance.array() ==
               theta.noise_variance * theta.output_scale(0) * theta.output_scale(0))
                  .all());
  EXPECT_TRUE((p.degrees_of_freedom.array() == kInfinity).all());
  EXPECT_EQ(Options::paper().calibration, Calibration::none);
}

TEST(CalibrationOption, StateDependsOnTheUpdatesAlone) {
  const testing::Stream stream = testing::smooth_stream(3, 2, 2, 250);
  for (const Calibration calibration : {Calibration::adaptive, Calibration::conformal}) {
    const SplittingGp batch = learned(calibration, stream, 3);
    SplittingGp rows(2, 2, Internals::of(batch).options);
    SplittingGp predicted(2, 2, Internals::of(batch).options);
    Prediction before;
    for (Index i = 0; i < stream.X.cols(); ++i) {
      rows.update(stream.X.col(i), stream.Y.col(i));
      if (i % 3 == 0) (void)rows.predict(stream.X.leftCols(5));
      const Prediction expected = predicted.predict(stream.X.col(i));
      predicted.predict_then_update(stream.X.col(i), stream.Y.col(i), before);
      ASSERT_EQ(before.variance, expected.variance);
      ASSERT_EQ(before.noise_variance, expected.noise_variance);
      ASSERT_EQ(before.degrees_of_freedom, expected.degrees_of_freedom);
      ASSERT_EQ(before.conformal_half_widths, expected.conformal_half_widths);
    }
    for (std::size_t o = 0; o < 2; ++o) {
      const auto numbers = [o](const SplittingGp& model) {
        const ReachCalibrator& calibrator = Internals::of(model).monitor.calibrators[o];
        std::vector<double> all = calibrator.next.numbers();
        const std::vector<double> others = calibrator.numbers();
        all.insert(all.end(), others.begin(), others.end());
        return all;
      };
      EXPECT_EQ(numbers(rows), numbers(batch));
      EXPECT_EQ(numbers(predicted), numbers(batch));
    }
    // With any number of threads, in one batch or alone.
    const Prediction together = batch.predict(stream.X);
    for (Index i = 0; i < stream.X.cols(); ++i) {
      const Prediction alone = rows.predict(stream.X.col(i));
      ASSERT_EQ(alone.variance, together.variance.col(i));
      ASSERT_EQ(alone.noise_variance, together.noise_variance.col(i));
    }
  }
}

TEST(CalibrationOption, EachOutputHasItsOwn) {
  // The second output's noise is ten times as large in the second half, the first one's is not.
  testing::Stream stream = testing::smooth_stream(4, 1, 2, 400);
  testing::Random random(5);
  for (Index i = 200; i < 400; ++i) stream.Y(1, i) += 2.0 * random.normal();
  const SplittingGp model = learned(Calibration::adaptive, stream);
  const Prediction p = model.predict(VectorXd::Zero(1));
  const auto deviation = [&](Index o) {
    return std::sqrt(p.variance(o, 0) + p.noise_variance(o, 0));
  };
  EXPECT_LT(deviation(0), 0.4);
  EXPECT_GT(deviation(1), 1.0);
}

TEST(CalibrationOption, UnitsDoNotMatter) {
  const testing::Stream stream = testing::smooth_stream(6, 2, 1, 120);
  const auto trained = [&](const MatrixXd& Y) {
    SplittingGp model(2, 1, trained_with(Calibration::adaptive));
    model.update_batch(stream.X, Y);
    return model.predict(stream.X);
  };
  const Prediction p = trained(stream.Y);
  for (const double unit : {1e149, 1e-100}) {
    const MatrixXd scaled = stream.Y * unit;
    const Prediction q = trained(scaled);
    EXPECT_TRUE(q.variance.allFinite());
    EXPECT_TRUE((q.variance.array() >= 0.0).all());
    const Interval a = p.interval(0.95);
    const Interval b = q.interval(0.95);
    EXPECT_LE((a.upper - b.upper / unit).cwiseAbs().maxCoeff(), 0.2);
    EXPECT_TRUE(std::isfinite(q.log_density(0, 0, scaled(0, 0))));
  }
}

TEST(CalibrationOption, ConstantOutputsGiveNoNan) {
  testing::Stream stream = testing::smooth_stream(7, 2, 1, 180);
  stream.Y.leftCols(110).setConstant(3.0);
  stream.Y.rightCols(70) *= 1e6;  // and then it wakes up
  for (const Calibration calibration : {Calibration::adaptive, Calibration::conformal}) {
    SplittingGp model(2, 1, trained_with(calibration));
    Prediction p;
    for (Index i = 0; i < stream.X.cols(); ++i) {
      model.predict_then_update(stream.X.col(i), stream.Y.col(i), p);
      ASSERT_TRUE(p.mean.allFinite());
      ASSERT_TRUE(p.variance.allFinite() && p.noise_variance.allFinite());
      ASSERT_GE(p.variance(0, 0), 0.0);
      const Interval interval = p.interval(0.95);
      ASSERT_LE(interval.lower(0, 0), p.mean(0, 0));
      ASSERT_GE(interval.upper(0, 0), p.mean(0, 0));
      ASSERT_TRUE(std::isfinite(p.log_density(0, 0, stream.Y(0, i))));
    }
  }
}

TEST(Prediction, IntervalsDensitiesAndLevelsAgree) {
  const testing::Stream stream = testing::smooth_stream(8, 1, 2, 200);
  for (const Calibration calibration :
       {Calibration::adaptive, Calibration::conformal, Calibration::none}) {
    const Prediction p = learned(calibration, stream).predict(stream.X.leftCols(3));
    double before = 0.0;
    for (const double level : {0.01, 0.3, 0.5, 0.65, 0.8, 0.93, 0.95, 0.99, 0.9999}) {
      const Interval interval = p.interval(level);
      for (Index o = 0; o < 2; ++o) {
        for (Index i = 0; i < 3; ++i) {
          EXPECT_NEAR(interval.upper(o, i) - p.mean(o, i), p.mean(o, i) - interval.lower(o, i),
                      1e-9);
          EXPECT_NEAR(p.level_of(o, i, interval.upper(o, i)), level, 1e-6);
        }
      }
      EXPECT_GT(interval.upper(0, 0) - p.mean(0, 0), before);
      before = interval.upper(0, 0) - p.mean(0, 0);
    }
    // The density integrates to 1.
    const double sd = std::sqrt(p.variance(0, 0) + p.noise_variance(0, 0));
    double sum = 0.0;
    for (double z = -100.0; z < 100.0; z += 0.02)
      sum += 0.02 * sd * std::exp(p.log_density(0, 0, p.mean(0, 0) + z * sd));
    EXPECT_NEAR(sum, 1.0, 1e-3);
  }
}

TEST(Prediction, IntervalRejectsWhatIsNoLevel) {
  const SplittingGp model(1, 1);
  const Prediction p = model.predict(VectorXd::Zero(1));
  for (const double level : {0.0, 1.0, -0.1, 2.0, kInfinity, std::nan("")}) {
    EXPECT_THROW((void)p.interval(level), InvalidArgument);
    EXPECT_THROW((void)p.half_width(0, 0, level), InvalidArgument);
  }
  EXPECT_NEAR(p.half_width(0, 0, 0.95), 1.959963984540054, 1e-12);
}

TEST(Prediction, WithoutDegreesOfFreedomIsNormal) {
  Prediction p;  // as the rivals make it
  p.mean = MatrixXd::Zero(1, 1);
  p.variance = MatrixXd::Constant(1, 1, 3.0);
  p.noise_variance = MatrixXd::Constant(1, 1, 1.0);
  EXPECT_NEAR(p.interval(0.95).upper(0, 0), 2.0 * 1.959963984540054, 1e-12);
  EXPECT_NEAR(p.log_density(0, 0, 2.0), -0.5 * std::log(2.0 * M_PI * 4.0) - 0.5, 1e-13);
  EXPECT_NEAR(p.level_of(0, 0, 2.0), 0.6826894921370859, 1e-12);
}

}  // namespace
}  // namespace splitgp
