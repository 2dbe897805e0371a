// What the default model reaches on each data set, in raw units, with θ learned from the stream.
// The figures of docs/accuracy.md, which has the command.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "splitgp/splitting_gp.h"
#include "support/tasks.h"

namespace splitgp::train_accuracy_test {
namespace {

using testing::Task;

#define NEEDS(task, name) \
  if (!(task)) GTEST_SKIP() << name << " is not in " << testing::data_folder()

int replicates() {
  const char* chosen = std::getenv("SPLITGP_REPLICATES");
  return chosen == nullptr ? 2 : std::atoi(chosen);
}

struct Score {
  double rmse = 0.0;
  double coverage = 0.0;  // of the 95 % interval for observations
  double nlpd = 0.0;
  double normalised_mse = 0.0;  // mean over outputs

  Score& operator+=(const Score& other) {
    rmse += other.rmse;
    coverage += other.coverage;
    nlpd += other.nlpd;
    normalised_mse += other.normalised_mse;
    return *this;
  }
  Score operator/(double n) const { return {rmse / n, coverage / n, nlpd / n, normalised_mse / n}; }
};

Score measure(const Task& task, const Options& options) {
  SplittingGp model(task.train.X.rows(), task.train.Y.rows(), options);
  model.update_batch(task.train.X, task.train.Y);
  const Prediction prediction = model.predict(task.test_inputs);
  const Eigen::ArrayXXd error = prediction.mean - task.test_outputs;
  const Interval interval = prediction.interval(0.95);
  const auto inside = interval.lower.array() < task.test_outputs.array() &&
                      task.test_outputs.array() < interval.upper.array();
  double nlpd = 0.0;
  for (Eigen::Index i = 0; i < error.cols(); ++i) {
    for (Eigen::Index o = 0; o < error.rows(); ++o)
      nlpd -= prediction.log_density(o, i, task.test_outputs(o, i));
  }
  const Eigen::ArrayXXd centered = task.test_outputs.colwise() - task.test_outputs.rowwise().mean();
  const Eigen::ArrayXd mse = error.square().rowwise().mean();
  return {std::sqrt(error.square().mean()), inside.cast<double>().mean(),
          nlpd / static_cast<double>(error.size()),
          (mse / centered.square().rowwise().mean()).mean()};
}

Options with(int capacity, KernelFamily kernel = KernelFamily::automatic) {
  Options options;
  options.capacity = capacity;
  options.kernel = kernel;
  return options;
}

void report(const char* what, const Score& score) {
  std::printf("%-32s RMSE %.4f  95%% coverage %.3f  NLPD %.3f  nMSE %.5f\n", what, score.rmse,
              score.coverage, score.nlpd, score.normalised_mse);
}

TEST(TrainAccuracy, Kin40kWithCapacity500) {
  const auto task = testing::file_task("kin40k", 8);
  NEEDS(task, "kin40k");
  const Score score = measure(*task, with(500));
  report("kin40k, capacity 500", score);
  EXPECT_LE(score.rmse, 0.14);
  EXPECT_NEAR(score.coverage, 0.95, 0.015);
  EXPECT_LE(score.nlpd, -0.75);
}

TEST(TrainAccuracy, Kin40kByDefault) {
  const auto task = testing::file_task("kin40k", 8);
  NEEDS(task, "kin40k");
  const Score score = measure(*task, Options{});
  report("kin40k, default", score);
  EXPECT_LE(score.rmse, 0.165);
  EXPECT_NEAR(score.coverage, 0.95, 0.02);
}

Score powergen(const Options& options) {
  Score sum;
  for (int replicate = 0; replicate < replicates(); ++replicate) {
    sum += measure(*testing::powergen_task(replicate), options);
  }
  return sum / replicates();
}

// The first two replicates are harder than the mean of ten: their bound is the ten's plus 5 %.
double powergen_bound(double of_ten) { return replicates() == 10 ? of_ten : 1.05 * of_ten; }

TEST(TrainAccuracy, PowergenByDefault) {
  NEEDS(testing::powergen_task(0), "powergen");
  const Score score = powergen(Options{});
  report("powergen, default", score);
  EXPECT_LE(score.rmse, powergen_bound(2.85));
  EXPECT_NEAR(score.coverage, 0.95, 0.03);
}

TEST(TrainAccuracy, SyntheticWith500) {
  Score sum;
  for (int seed = 0; seed < replicates(); ++seed) {
    sum += measure(testing::synthetic_task(static_cast<std::uint64_t>(seed)), with(500));
  }
  report("synthetic, capacity 500, against f", sum / replicates());
  EXPECT_LE((sum / replicates()).rmse, 0.07);
}

TEST(TrainAccuracy, BarrettByDefault) {
  const auto task = testing::file_task("barrett_wam", 21);
  NEEDS(task, "barrett_wam");
  const Score score = measure(*task, Options{});
  report("Barrett, 7 outputs, default", score);
  EXPECT_LE(score.normalised_mse, 0.01);
}

}  // namespace
}  // namespace splitgp::train_accuracy_test
