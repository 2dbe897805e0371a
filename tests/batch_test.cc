// The same stream gives the same bits: in one batch, in several, row by row, twice, and in a copy.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/fixed_theta.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kInputs = 3;
constexpr Index kOutputs = 2;
constexpr Index kObservations = 400;

struct Data {
  testing::Stream stream = testing::smooth_stream(51, kInputs, kOutputs, kObservations);
  VectorXd noise;
  MatrixXd queries;

  Data() {
    testing::Random random(52);
    // Repeated inputs too: ties are where an order of operations would show.
    for (Index i = 100; i < kObservations; i += 7) stream.X.col(i) = stream.X.col(random.index(i));
    noise = (random.uniform_matrix(kObservations, 1).array() - 0.5).max(0.0);
    queries = testing::uniform_inputs(random, kInputs, 200, 1.5);
    queries.leftCols(50) = stream.X.rightCols(50);
  }
};

std::vector<Options> all_kinds() {
  std::vector<Options> kinds(3, testing::fixed_theta());
  for (Options& options : kinds) {
    options.split_limit = 15;
    options.hyperparameters.emplace().length_scale = VectorXd{{0.5, 0.8, 1.1}};
  }
  kinds[1].comparison.inherit = false;
  kinds[1].comparison.aggregation = Aggregation::similarity;
  kinds[2].comparison.principal_direction = PrincipalDirection::oja;
  kinds[2].kernel = KernelFamily::matern52;
  kinds[2].neighbors = 3;
  return kinds;
}

void expect_same_results(const UpdateResult& a, const UpdateResult& b) {
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.record.routed_to, b.record.routed_to);
  EXPECT_EQ(a.record.local_gp, b.record.local_gp);
  EXPECT_EQ(a.record.leaving, b.record.leaving);
  EXPECT_EQ(a.record.new_local_gp, b.record.new_local_gp);
  EXPECT_EQ(a.record.displaced, b.record.displaced);
  EXPECT_EQ(a.record.renewed, b.record.renewed);
  EXPECT_EQ(a.trained, b.trained);
  EXPECT_TRUE(testing::same_bits(a.record.jitter, b.record.jitter));
}

TEST(SplittingGp, BatchEqualsRowByRow) {
  const Data data;
  for (const Options& options : all_kinds()) {
    SplittingGp rows(kInputs, kOutputs, options);
    SplittingGp batch(kInputs, kOutputs, options);
    SplittingGp batches(kInputs, kOutputs, options);
    std::vector<UpdateResult> row_results;
    for (Index i = 0; i < kObservations; ++i) {
      row_results.push_back(rows.update(data.stream.X.col(i), data.stream.Y.col(i), data.noise(i)));
    }
    const std::vector<UpdateResult> batch_results =
        batch.update_batch(data.stream.X, data.stream.Y, data.noise);
    // Uneven ones, and an empty one: 1, 2, 4, … columns.
    batches.update_batch(MatrixXd(kInputs, 0), MatrixXd(kOutputs, 0));
    for (Index first = 0, size = 1; first < kObservations; first += size, size *= 2) {
      const Index n = std::min(size, kObservations - first);
      batches.update_batch(data.stream.X.middleCols(first, n), data.stream.Y.middleCols(first, n),
                           data.noise.segment(first, n));
    }
    ASSERT_GT(rows.n_local(), 20);
    testing::expect_same_bits(rows, batch, data.queries);
    testing::expect_same_bits(rows, batches, data.queries);
    EXPECT_EQ(rows.memory_bytes(), batch.memory_bytes());
    EXPECT_EQ(rows.memory_bytes(), batches.memory_bytes());
    ASSERT_EQ(batch_results.size(), row_results.size());
    for (std::size_t i = 0; i < row_results.size(); ++i) {
      expect_same_results(batch_results[i], row_results[i]);
    }
  }
}

// Training happens between the rows of a batch just as between single ones. A small stream is
// enough: two trainings of two numbers show it as well as many.
TEST(SplittingGp, BatchEqualsRowByRowWhileTraining) {
  constexpr Index kRows = 70;
  const testing::Stream stream = testing::smooth_stream(53, 1, 1, kRows);
  Options options;
  options.training = Training::inlined;
  options.split_limit = 15;
  options.kernel = KernelFamily::rbf;
  options.fixed.signal_variance = options.fixed.mean = options.fixed.output_scale = true;
  SplittingGp rows(1, 1, options);
  SplittingGp batch(1, 1, options);
  for (Index i = 0; i < kRows; ++i) rows.update(stream.X.col(i), stream.Y.col(i));
  batch.update_batch(stream.X, stream.Y);
  ASSERT_GE(rows.training_history().size(), 2U);
  testing::expect_same_bits(rows, batch, stream.X);
}

TEST(SplittingGp, NoNoiseGivenIsNoiseZero) {
  const Data data;
  const Options options = all_kinds().front();
  SplittingGp without(kInputs, kOutputs, options);
  SplittingGp with_zeros(kInputs, kOutputs, options);
  without.update_batch(data.stream.X, data.stream.Y);
  with_zeros.update_batch(data.stream.X, data.stream.Y, VectorXd::Zero(kObservations));
  testing::expect_same_bits(without, with_zeros, data.queries);
}

TEST(SplittingGp, SameStreamGivesTheSameBitsTwice) {
  const Data data;
  for (const Options& options : all_kinds()) {
    SplittingGp first(kInputs, kOutputs, options);
    first.update_batch(data.stream.X, data.stream.Y, data.noise);
    // Blocks of other sizes, left dirty, so that the second one gets other addresses.
    std::vector<VectorXd> holes;
    for (Index i = 1; i < 100; ++i) holes.push_back(VectorXd::Constant(3 * i, std::nan("")));
    for (std::size_t i = 0; i < holes.size(); i += 2) holes[i].resize(0);
    SplittingGp second(kInputs, kOutputs, options);
    second.update_batch(data.stream.X, data.stream.Y, data.noise);
    testing::expect_same_bits(first, second, data.queries);
    EXPECT_EQ(first.memory_bytes(), second.memory_bytes());
  }
}

// A query's answer depends on the model and on the query, not on its neighbours in the batch.
TEST(SplittingGp, PredictingABatchEqualsPredictingEach) {
  const Data data;
  for (const Options& options : all_kinds()) {
    SplittingGp model(kInputs, kOutputs, options);
    model.update_batch(data.stream.X, data.stream.Y, data.noise);
    const Prediction batch = model.predict(data.queries);
    for (Index q = 0; q < data.queries.cols(); ++q) {
      const Prediction one = model.predict(data.queries.col(q));
      EXPECT_TRUE(testing::same_bits(one.mean, batch.mean.col(q)));
      EXPECT_TRUE(testing::same_bits(one.variance, batch.variance.col(q)));
      const Explanation explanation = model.explain(data.queries.col(q));
      EXPECT_TRUE(testing::same_bits(explanation.mean, batch.mean.col(q)));
      EXPECT_TRUE(testing::same_bits(explanation.variance, batch.variance.col(q)));
    }
  }
}

TEST(SplittingGp, PredictThenUpdateEqualsBoth) {
  const testing::Stream stream = testing::smooth_stream(57, kInputs, kOutputs, 150);
  for (const Options& options : all_kinds()) {
    SplittingGp both(kInputs, kOutputs, options);
    SplittingGp each(kInputs, kOutputs, options);
    Prediction before;
    for (Index i = 0; i < stream.X.cols(); ++i) {
      const Prediction expected = each.predict(stream.X.col(i));
      const UpdateResult one = each.update(stream.X.col(i), stream.Y.col(i), 0.01);
      const UpdateResult other =
          both.predict_then_update(stream.X.col(i), stream.Y.col(i), before, 0.01);
      testing::expect_same_bits(before, expected);
      expect_same_results(one, other);
    }
    testing::expect_same_bits(both, each, stream.X);
  }
}

TEST(SplittingGp, CopyGoesOnIndependentlyWithTheSameBits) {
  const Data data;
  constexpr Index kFirst = 150;
  constexpr Index kRest = kObservations - kFirst;
  const MatrixXd X = data.stream.X.rightCols(kRest);
  const MatrixXd Y = data.stream.Y.rightCols(kRest);
  for (const Options& options : all_kinds()) {
    SplittingGp original(kInputs, kOutputs, options);
    original.update_batch(data.stream.X.leftCols(kFirst), data.stream.Y.leftCols(kFirst));
    SplittingGp copy(original);
    const Prediction before = original.predict(data.queries);
    copy.update_batch(X, Y);
    EXPECT_EQ(original.n_observations(), static_cast<std::uint64_t>(kFirst));
    testing::expect_same_bits(original.predict(data.queries), before);
    original.update_batch(X, Y);
    testing::expect_same_bits(original, copy, data.queries);
  }
}

TEST(SplittingGp, MoveAndAssignmentKeepTheBits) {
  const Data data;
  SplittingGp original(kInputs, kOutputs, all_kinds().front());
  original.update_batch(data.stream.X, data.stream.Y);
  SplittingGp assigned(1, 1);
  assigned = original;
  testing::expect_same_bits(assigned, original, data.queries);
  const SplittingGp moved(std::move(assigned));
  testing::expect_same_bits(moved, original, data.queries);
}

}  // namespace
}  // namespace splitgp
