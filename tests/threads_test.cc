// Threads share the work and change nothing else.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <thread>
#include <vector>

#include "splitgp/model_file.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/fixed_theta.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kInputs = 3;
constexpr Index kOutputs = 2;

SplittingGp model_with(int threads, Aggregation aggregation = Aggregation::evidence) {
  Options options = testing::fixed_theta();
  options.split_limit = 15;
  options.threads = threads;
  options.comparison.aggregation = aggregation;
  options.hyperparameters.emplace().length_scale = VectorXd{{0.5, 0.8, 1.1}};
  SplittingGp model(kInputs, kOutputs, options);
  const testing::Stream stream = testing::smooth_stream(61, kInputs, kOutputs, 300);
  model.update_batch(stream.X, stream.Y);
  return model;
}

MatrixXd queries(Index n) {
  testing::Random random(62);
  return testing::uniform_inputs(random, kInputs, n, 1.5);
}

TEST(Threads, ChangeNoBit) {
  for (const Aggregation aggregation :
       {Aggregation::evidence, Aggregation::similarity, Aggregation::nearest}) {
    const SplittingGp one = model_with(1, aggregation);
    for (const int threads : {2, 4}) {
      const SplittingGp many = model_with(threads, aggregation);
      // Fewer queries than threads, and numbers that do not divide evenly.
      for (const Index n : {0, 1, 2, 3, 5, 301}) {
        SCOPED_TRACE(::testing::Message() << threads << " threads, " << n << " queries");
        testing::expect_same_bits(many, one, queries(n));
      }
    }
  }
}

TEST(Threads, ModelStreamedWithManyThreadsHasTheSameBits) {
  const testing::Stream stream = testing::smooth_stream(63, kInputs, kOutputs, 100);
  SplittingGp one = model_with(1);
  SplittingGp many = model_with(4);
  for (Index i = 0; i < stream.X.cols(); ++i) {
    many.predict(stream.X);  // predictions in between leave no trace
    one.update(stream.X.col(i), stream.Y.col(i));
    many.update(stream.X.col(i), stream.Y.col(i));
  }
  testing::expect_same_bits(many, one, queries(100));
}

// const methods may run from many threads at once. GoogleTest's expectations are made afterwards,
// in one thread, so that a race found here is the model's.
TEST(Threads, ConstMethodsMayRunAtOnce) {
  const SplittingGp model = model_with(2);
  const MatrixXd X = queries(60);
  struct Answers {
    Prediction prediction;
    std::vector<Explanation> explanations;
    std::vector<LocalGpSummary> local_gps;
    std::size_t memory_bytes = 0;
    std::size_t splits = 0;
    SplittingGp copy{kInputs, kOutputs};
  };
  const auto ask = [&] {
    Answers answers;
    answers.prediction = model.predict(X);
    for (Index q = 0; q < X.cols(); ++q) answers.explanations.push_back(model.explain(X.col(q)));
    answers.local_gps = model.local_gps();
    answers.memory_bytes = model.memory_bytes();
    answers.splits = model.split_history().size();
    answers.copy = model;
    return answers;
  };
  const Answers alone = ask();
  std::vector<Answers> together(4);
  {
    std::vector<std::jthread> threads;
    for (Answers& answers : together) threads.emplace_back([&] { answers = ask(); });
  }
  for (const Answers& answers : together) {
    testing::expect_same_bits(answers.prediction, alone.prediction);
    testing::expect_same_bits(answers.local_gps, alone.local_gps);
    EXPECT_EQ(answers.memory_bytes, alone.memory_bytes);
    EXPECT_EQ(answers.splits, alone.splits);
    testing::expect_same_bits(answers.copy, model, X);
    for (std::size_t q = 0; q < alone.explanations.size(); ++q) {
      testing::expect_same_bits(answers.explanations[q], alone.explanations[q]);
    }
  }
}

// Models that were copied from one another share θ and nothing that is written to.
// The first thread to predict builds the factor, once, while others wait; wake() is not called. So
// it is with what derivatives need.
TEST(Threads, ALoadedModelWakesAsItIsAsked) {
  const testing::TemporaryDirectory folder;
  const SplittingGp original = model_with(1);
  ModelFile::create(folder / "model.splitgp", original);
  SplittingGp woken = load(folder / "model.splitgp").model;
  woken.wake();
  const MatrixXd X = queries(400);
  const PredictionGradient expected = woken.predict_gradient(X);

  const SplittingGp loaded = load(folder / "model.splitgp").model;
  const auto awake = [&loaded] {
    const std::vector<LocalGpSummary> all = loaded.local_gps();
    return std::count_if(all.begin(), all.end(), [](const auto& local) { return local.awake; });
  };
  EXPECT_EQ(awake(), 0);
  std::vector<std::thread> threads;
  std::vector<PredictionGradient> answers(8);
  for (std::size_t t = 0; t < answers.size(); ++t) {
    threads.emplace_back([&, t] {
      if (t % 4 == 3) {
        answers[t] = SplittingGp(loaded).predict_gradient(X);  // a copy made while others wake it
      } else {
        answers[t] = loaded.predict_gradient(X);
      }
      EXPECT_GT(loaded.memory_bytes(), 0U);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const PredictionGradient& answer : answers) {
    testing::expect_same_bits(answer, expected);
    EXPECT_TRUE(testing::same_bits(answer.mean_gradient, expected.mean_gradient));
    EXPECT_TRUE(testing::same_bits(answer.variance_gradient, expected.variance_gradient));
  }
  EXPECT_EQ(awake(), loaded.n_local());
}

TEST(Threads, CopiesMayBeUpdatedAtOnce) {
  const SplittingGp model = model_with(1);
  const testing::Stream stream = testing::smooth_stream(64, kInputs, kOutputs, 80);
  std::vector<SplittingGp> copies(4, model);
  {
    std::vector<std::jthread> threads;
    for (SplittingGp& copy : copies) {
      threads.emplace_back([&] {
        copy.update_batch(stream.X, stream.Y);
        Hyperparameters theta = copy.hyperparameters();
        theta.noise_variance *= 2.0;
        copy.set_hyperparameters(theta);
        copy.refit(copy.n_local());
      });
    }
  }
  for (const SplittingGp& copy : copies) testing::expect_same_bits(copy, copies[0], queries(50));
}

}  // namespace
}  // namespace splitgp
