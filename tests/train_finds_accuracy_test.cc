// What Train finds, on data whose truth is known. It takes minutes under a sanitizer, so only in
// release.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/api/internals.h"
#include "core/model/model_training.h"
#include "core/options/validate.h"
#include "core/train/objective.h"
#include "core/train/optimise.h"
#include "core/train/training_set.h"
#include "splitgp/splitting_gp.h"
#include "support/learned.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::learned;
using testing::noisy;
using testing::Random;
using testing::rmse;
using testing::Stream;
using testing::wave;

TEST(TrainFinds, FindsTheNoiseThatIsThere) {
  const SplittingGp model = learned(noisy(2, 800, 0.2, 1, wave));
  // The variance of 800 draws is known to √(2/800) = 5 %; three of those, and the fit's own error.
  EXPECT_NEAR(model.hyperparameters().noise_variance, 0.04, 0.04 * 0.2);
}

TEST(TrainFinds, RawUnitsGiveTheSamePredictions) {
  const Stream plain = noisy(2, 400, 0.1, 2, wave);
  Stream raw = plain;
  raw.X.row(0) = raw.X.row(0).array() * 6.0 + 1013.0;
  raw.X.row(1) *= 1e-5;
  raw.Y = raw.Y.array() * 17.0 + 454.0;
  const SplittingGp a = learned(plain);
  const SplittingGp b = learned(raw);
  const Prediction p = a.predict(plain.X);
  const Prediction q = b.predict(raw.X);
  // Rounding in the units sends the optimiser along slightly different paths to the same optimum.
  const MatrixXd back = (q.mean.array() - 454.0) / 17.0;
  EXPECT_LT((back - p.mean).cwiseAbs().maxCoeff(), 0.02);
}

// Four of 32 inputs matter. From one start, a medium length scale and much noise, the search ends
// at forty times the true noise; from several it finds the function.
TEST(TrainFinds, FindsTheFewRelevantInputsWhereOneStartFindsNoise) {
  const auto f = [](const VectorXd& x) {
    return std::sin(2.5 * x(0)) + std::sin(2.5 * x(1)) + x(2) * x(3);
  };
  const Stream stream = noisy(32, 400, 0.1, 3, f);
  Options options;
  options.training = Training::off;
  options.split_limit = 400;
  options.kernel = KernelFamily::rbf;
  SplittingGp model = learned(stream, options);
  const TrainResult several = model.train();
  model.refit(model.n_local());
  const VectorXd& found = several.theta.length_scale;
  EXPECT_LT(10.0 * found.head(4).maxCoeff(), found.tail(28).minCoeff());
  EXPECT_LT(several.theta.noise_variance, 0.02);  // 0.01 is true
  EXPECT_LT(rmse(model, noisy(32, 300, 0.0, 4, f)), 0.35);

  const TrainingSet set = draw_training_set(Internals::of(model), 400, 0);
  Objective objective(set, KernelFamily::rbf, complete({}, 32, 1), {});
  const VectorXd start = objective.start(std::sqrt(32.0), 0.3);
  const Optimum stuck = maximise(
      [&](const VectorXd& at, VectorXd* gradient) { return objective.value(at, gradient); },
      objective.curvature(start), start, objective.lower(), objective.upper(), {100, 1e-5});
  const Hyperparameters one = objective.theta(stuck.parameters);
  RecordProperty("noise_from_one_start", std::to_string(one.noise_variance));
  RecordProperty("noise_from_several", std::to_string(several.theta.noise_variance));
  EXPECT_GT(one.noise_variance, 0.2);
  EXPECT_LT(stuck.value + 0.5, several.objective_after);
}

TEST(TrainFinds, AutoChoosesTheKernelThatMadeTheData) {
  // A sample path of Matérn 1/2 in one dimension is an Ornstein–Uhlenbeck process.
  Random random(6);
  const Index n = 900;
  Stream rough{MatrixXd(1, n), MatrixXd(1, n)};
  double y = 0.0;
  const double keep = std::exp(-0.05);
  for (Index i = 0; i < n; ++i) {
    y = keep * y + std::sqrt(1.0 - keep * keep) * random.normal();
    rough.X(0, i) = 0.05 * static_cast<double>(i);
    rough.Y(0, i) = y;
  }
  const SplittingGp model = learned(rough);
  EXPECT_EQ(model.hyperparameters().kernel, KernelFamily::matern12);
  EXPECT_GT(model.training_history().back().record.kernel_margin, 0.0);

  const SplittingGp smooth =
      learned(noisy(1, 600, 0.01, 7, [](const VectorXd& x) { return std::sin(2.0 * x(0)); }));
  EXPECT_EQ(smooth.hyperparameters().kernel, KernelFamily::rbf);
}

TEST(TrainFinds, RecoversFromAThousandfoldChangeOfScale) {
  Stream stream = noisy(2, 1200, 0.1, 27, wave);
  stream.X.rightCols(800) *= 1000.0;
  stream.Y.rightCols(800) *= 1000.0;
  Options options;
  options.split_limit = 100;
  SplittingGp model = learned(stream, options);
  model.refit(model.n_local());
  const Stream recent{stream.X.rightCols(200), stream.Y.rightCols(200)};
  const double spread = std::sqrt((recent.Y.array() - recent.Y.mean()).square().mean());
  // An untrained model would answer with the mean: an error of one spread.
  EXPECT_LT(rmse(model, recent), 0.3 * spread);
}

TEST(TrainFinds, BoundsReachedAreNamed) {
  Options options;
  options.trend = Trend::none;  // otherwise noise that the data do not show is raised
  const SplittingGp model = learned(noisy(2, 400, 0.0, 22, wave), options);
  EXPECT_THAT(model.training_history().back().bounds_reached,
              ::testing::Contains("noise_variance at its lower bound"));
}

}  // namespace
}  // namespace splitgp
