#include "core/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/objective.h"
#include "core/optimise.h"
#include "core/validate.h"
#include "splitgp/splitting_gp.h"
#include "support/random_matrix.h"
#include "support/training.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;

struct Stream {
  MatrixXd X;
  MatrixXd Y;
};

template <typename Function>
Stream noisy(Index inputs, Index n, double noise, std::uint64_t seed, const Function& f) {
  Random random(seed);
  Stream stream{random.normal_matrix(inputs, n), MatrixXd(1, n)};
  for (Index i = 0; i < n; ++i) stream.Y(0, i) = f(stream.X.col(i)) + noise * random.normal();
  return stream;
}

double wave(const VectorXd& x) { return std::sin(2.0 * x(0)) + 0.5 * x(1); }

SplittingGp learned(const Stream& stream, Options options = {}) {
  SplittingGp model(stream.X.rows(), stream.Y.rows(), options);
  model.update_batch(stream.X, stream.Y);
  return model;
}

double rmse(const SplittingGp& model, const Stream& test) {
  const Prediction prediction = model.predict(test.X);
  return std::sqrt((prediction.mean - test.Y).squaredNorm() / static_cast<double>(test.Y.size()));
}

void expect_sane(const SplittingGp& model) {
  const Hyperparameters& theta = model.hyperparameters();
  EXPECT_TRUE(theta.length_scale.allFinite() && theta.length_scale.minCoeff() > 0.0);
  EXPECT_TRUE(theta.mean.allFinite());
  EXPECT_TRUE(std::isfinite(theta.signal_variance) && theta.signal_variance > 0.0);
  EXPECT_TRUE(std::isfinite(theta.noise_variance) && theta.noise_variance > 0.0);
}

TEST(Train, FindsTheNoiseThatIsThere) {
  const SplittingGp model = learned(noisy(2, 800, 0.2, 1, wave));
  // The variance of 800 draws is known to √(2/800) = 5 %; three of those, and the fit's own error.
  EXPECT_NEAR(model.hyperparameters().noise_variance, 0.04, 0.04 * 0.2);
}

TEST(Train, RawUnitsGiveTheSamePredictions) {
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

// Four of 32 inputs matter. From one start, a medium length scale and much noise, the likelihood
// ends at forty times the noise that is there; from several it finds the function.
TEST(Train, FindsTheFewRelevantInputsWhereOneStartFindsNoise) {
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

  const TrainingSet set = draw_training_set(model.state(), 400, 0);
  Objective objective(set, KernelFamily::rbf, complete({}, 32, 1), {});
  const Optimum stuck = maximise(
      [&](const VectorXd& at, VectorXd* gradient) { return objective.value(at, gradient); },
      objective.start(std::sqrt(32.0), 0.3), objective.lower(), objective.upper(), {100, 1e-5});
  const Hyperparameters one = objective.theta(stuck.parameters);
  RecordProperty("noise_from_one_start", std::to_string(one.noise_variance));
  RecordProperty("noise_from_several", std::to_string(several.theta.noise_variance));
  EXPECT_GT(one.noise_variance, 0.2);
  EXPECT_LT(stuck.value + 0.5, several.objective_after);
}

TEST(Train, AutoChoosesTheKernelThatMadeTheData) {
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
  EXPECT_GT(model.training_history().back().kernel_margin, 0.0);

  const SplittingGp smooth =
      learned(noisy(1, 600, 0.01, 7, [](const VectorXd& x) { return std::sin(2.0 * x(0)); }));
  EXPECT_EQ(smooth.hyperparameters().kernel, KernelFamily::rbf);
}

TEST(Train, NamedKernelIsKept) {
  Options options;
  options.kernel = KernelFamily::matern32;
  const SplittingGp model = learned(noisy(2, 200, 0.1, 8, wave), options);
  EXPECT_EQ(model.hyperparameters().kernel, KernelFamily::matern32);
  EXPECT_FALSE(model.training_history().empty());
}

TEST(Train, FixedHyperparametersStay) {
  Options options;
  options.hyperparameters.length_scale = VectorXd::Constant(2, 0.7);
  options.hyperparameters.noise_variance = 0.5;
  options.fixed.length_scale = true;
  options.fixed.noise_variance = true;
  const SplittingGp model = learned(noisy(2, 200, 0.1, 9, wave), options);
  EXPECT_EQ(model.hyperparameters().length_scale, options.hyperparameters.length_scale);
  EXPECT_EQ(model.hyperparameters().noise_variance, 0.5);
  EXPECT_NE(model.hyperparameters().signal_variance, 1.0);
}

TEST(Train, OldThetaStaysWhenTheNewOneIsNotBetter) {
  Options options;
  options.training = Training::off;
  SplittingGp model = learned(noisy(2, 300, 0.1, 10, wave), options);
  const TrainResult first = model.train();
  EXPECT_TRUE(first.adopted);
  EXPECT_GT(first.objective_after, first.objective_before);
  const std::uint64_t version = model.hyperparameters().version;
  const TrainResult second = model.train();
  EXPECT_FALSE(second.adopted);
  EXPECT_EQ(model.hyperparameters().version, version);
  EXPECT_EQ(model.training_history().size(), 2u);
}

TEST(Train, InlineTrainsWheneverTheStreamHasGrownByHalf) {
  const SplittingGp model = learned(noisy(2, 120, 0.1, 11, wave));
  std::vector<std::uint64_t> sizes;
  for (const TrainResult& result : model.training_history()) sizes.push_back(result.sequence);
  EXPECT_THAT(sizes, ::testing::ElementsAre(32u, 48u, 72u, 108u));
}

TEST(Train, SameStreamSameTheta) {
  const Stream stream = noisy(3, 300, 0.1, 12, wave);
  const SplittingGp a = learned(stream);
  const SplittingGp b = learned(stream);
  EXPECT_EQ(a.hyperparameters().length_scale, b.hyperparameters().length_scale);
  EXPECT_EQ(a.predict(stream.X).mean, b.predict(stream.X).mean);
}

TEST(Train, CostIsBoundedByTrainingObservations) {
  Options options;
  options.split_limit = 20;
  options.training = Training::off;
  options.training_observations = 500;
  SplittingGp model = learned(noisy(2, 3000, 0.1, 13, wave), options);
  EXPECT_LE(model.train().observations, 500);
}

TEST(Train, NothingToLearnFrom) {
  SplittingGp model(2, 1);
  EXPECT_FALSE(model.train().adopted);
  model.update(VectorXd::Ones(2), VectorXd::Ones(1));
  EXPECT_FALSE(model.train().adopted);
  EXPECT_EQ(model.hyperparameters().version, 0u);
}

TEST(Train, EndsInASaneThetaWhateverTheData) {
  const auto run = [](const char* what, Stream stream, const auto& check) {
    SCOPED_TRACE(what);
    const SplittingGp model = learned(stream);
    expect_sane(model);
    const Prediction prediction = model.predict(stream.X);
    EXPECT_TRUE(prediction.mean.allFinite());
    EXPECT_GE(prediction.variance.minCoeff(), 0.0);
    check(model);
  };
  run("50 observations", noisy(3, 50, 0.1, 20, wave),
      [](const SplittingGp& model) { EXPECT_FALSE(model.training_history().empty()); });
  run("pure noise", noisy(2, 400, 1.0, 21, [](const VectorXd&) { return 0.0; }),
      [](const SplittingGp& model) {
        EXPECT_NEAR(model.hyperparameters().noise_variance, 1.0, 0.25);
      });
  run("noise-free", noisy(2, 400, 0.0, 22, wave),
      [](const SplittingGp& model) { EXPECT_LT(model.hyperparameters().noise_variance, 1e-4); });
  Stream constant_column = noisy(3, 300, 0.1, 23, wave);
  constant_column.X.row(2).setConstant(1e9);
  run("constant column", constant_column,
      [](const SplittingGp& model) { EXPECT_LT(model.hyperparameters().noise_variance, 0.05); });
  Stream constant_output = noisy(2, 200, 0.1, 24, wave);
  constant_output.Y.setConstant(3.0);
  run("constant output", constant_output, [](const SplittingGp& model) {
    EXPECT_NEAR(model.predict(VectorXd::Zero(2)).mean(0, 0), 3.0, 1e-6);
  });
  Stream identical = noisy(2, 200, 0.1, 25, wave);
  identical.X.setConstant(0.5);
  run("identical inputs", identical, [](const SplittingGp&) {});
  Stream extreme = noisy(2, 200, 0.1, 26, wave);
  extreme.X *= 1e140;
  extreme.Y *= 1e-140;
  run("1e140 and 1e-140", extreme, [](const SplittingGp&) {});
}

TEST(Train, RecoversFromAThousandfoldChangeOfScale) {
  Stream stream = noisy(2, 1200, 0.1, 27, wave);
  stream.X.rightCols(800) *= 1000.0;
  stream.Y.rightCols(800) *= 1000.0;
  Options options;
  options.split_limit = 100;
  SplittingGp model = learned(stream, options);
  expect_sane(model);
  model.refit(model.n_local());
  const Stream recent{stream.X.rightCols(200), stream.Y.rightCols(200)};
  const double spread = std::sqrt((recent.Y.array() - recent.Y.mean()).square().mean());
  // An untrained model would answer with the mean: an error of one spread.
  EXPECT_LT(rmse(model, recent), 0.3 * spread);
}

TEST(Train, OutputsInDifferentUnitsEachGetTheirScale) {
  Random random(28);
  Stream stream{random.normal_matrix(2, 300), MatrixXd(2, 300)};
  for (Index i = 0; i < 300; ++i) {
    stream.Y(0, i) = 1e-3 * (wave(stream.X.col(i)) + 0.1 * random.normal());
    stream.Y(1, i) = 1e4 * (wave(-stream.X.col(i)) + 0.1 * random.normal()) + 5e4;
  }
  const SplittingGp model = learned(stream);
  const Prediction p = model.predict(stream.X);
  for (Index o = 0; o < 2; ++o) {
    const Eigen::ArrayXd error = (p.mean.row(o) - stream.Y.row(o)).transpose().array();
    const Eigen::ArrayXd deviation =
        (p.variance + p.noise_variance).row(o).transpose().array().sqrt();
    const double covered = (error.abs() < 1.96 * deviation).cast<double>().mean();
    EXPECT_GT(covered, 0.9);
    EXPECT_LT(covered, 0.995);
  }
}

TEST(Train, BoundsReachedAreNamed) {
  const SplittingGp model = learned(noisy(2, 400, 0.0, 22, wave));
  EXPECT_THAT(model.training_history().back().bounds_reached,
              ::testing::Contains("noise_variance at its lower bound"));
}

}  // namespace
}  // namespace splitgp
