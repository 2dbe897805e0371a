// An observation is learned by the local GPs that will be asked about it.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <set>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/factor.h"
#include "support/fixed_theta.h"
#include "support/invariants.h"
#include "support/local_gps.h"
#include "support/sanitized.h"

namespace splitgp::borrowing_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::dense;
using testing::local_gp_of;
using testing::make_theta;
using testing::smooth_stream;
using testing::Stream;

Options options_of(int split_limit, int capacity) {
  Options options = testing::fixed_theta();
  options.split_limit = split_limit;
  options.capacity = capacity;
  return options;
}

Observation observation(const Stream& stream, Index i) {
  return {stream.X.col(i), stream.Y.col(i), 0.01 * static_cast<double>(i % 3),
          static_cast<std::uint64_t>(i)};
}

std::vector<std::uint64_t> sequences(const LocalGp& local) {
  std::vector<std::uint64_t> result;
  for (Index j = 0; j < local.size(); ++j) result.push_back(local.sequence(j));
  return result;
}

double distance(const LocalGp& local, const VectorXd& x) {
  return (x - local.center()).cwiseQuotient(local.theta().values.length_scale).norm();
}

// A local GP that owns ten observations of a stream.
LocalGp owner_of_ten(const Stream& stream, int capacity) {
  return local_gp_of({stream.X.leftCols(10), stream.Y.leftCols(10)},
                     make_theta({}, stream.X.rows(), stream.Y.rows()), options_of(12, capacity));
}

TEST(Borrowing, ABorrowedPointIsConditionedOnAndNotOwned) {
  const Stream stream = smooth_stream(1, 2, 2, 20);
  LocalGp local = owner_of_ten(stream, 30);
  const VectorXd center = local.center();
  Workspace workspace;
  std::optional<std::uint64_t> displaced;
  for (Index i = 10; i < 20; ++i) {
    ASSERT_TRUE(local.borrow(observation(stream, i), workspace, displaced));
  }
  EXPECT_FALSE(displaced);
  EXPECT_EQ(local.owned(), 10);
  EXPECT_EQ(local.borrowed(), 10);
  EXPECT_EQ(local.center(), center);
  const testing::FullGp full = testing::full_gp_of(local);
  testing::Random random(2);
  const MatrixXd queries = testing::uniform_inputs(random, 2, 20, 1.5);
  const Prediction expected = full.predict(queries);
  VectorXd mean(2);
  for (Index q = 0; q < queries.cols(); ++q) {
    const LocalGp::Posterior posterior = local.predict(queries.col(q), workspace, mean);
    EXPECT_LT((mean - expected.mean.col(q)).norm(), 1e-10);
    EXPECT_NEAR(posterior.variance, expected.variance(0, q), 1e-10);
  }
}

TEST(Borrowing, AFullLocalGpKeepsTheNearest) {
  const Stream stream = smooth_stream(3, 2, 1, 300);
  LocalGp local = owner_of_ten(stream, 40);
  Workspace workspace;
  int declined = 0;
  for (Index i = 10; i < 300; ++i) {
    std::vector<std::uint64_t> before = sequences(local);
    const bool full = local.size() == 41;
    std::optional<std::uint64_t> displaced;
    const bool accepted = local.borrow(observation(stream, i), workspace, displaced);
    EXPECT_LE(local.size(), 41);
    if (!accepted) {
      EXPECT_TRUE(full);
      EXPECT_EQ(sequences(local), before);
      ++declined;
      continue;
    }
    EXPECT_EQ(displaced.has_value(), full);
    if (displaced) before.erase(std::find(before.begin(), before.end(), *displaced));
    before.push_back(static_cast<std::uint64_t>(i));
    EXPECT_EQ(sequences(local), before);
  }
  EXPECT_GT(declined, 100);
  // What it holds are its own ten and the 31 nearest of all others.
  std::vector<double> others;
  for (Index i = 10; i < 300; ++i) others.push_back(distance(local, stream.X.col(i)));
  std::sort(others.begin(), others.end());
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) continue;
    EXPECT_LE(distance(local, local.inputs().row(j).transpose()), others[30]);
  }
  EXPECT_EQ(local.owned(), 10);
}

TEST(Borrowing, ADormantLocalGpTakesNoteAndWakesWithTheSamePoints) {
  const Stream stream = smooth_stream(4, 2, 1, 120);
  LocalGp awake = owner_of_ten(stream, 30);
  LocalGp dormant = awake;
  dormant.sleep();
  Workspace workspace;
  for (Index i = 10; i < 120; ++i) {
    std::optional<std::uint64_t> a;
    std::optional<std::uint64_t> b;
    EXPECT_EQ(awake.borrow(observation(stream, i), workspace, a),
              dormant.borrow(observation(stream, i), workspace, b));
    EXPECT_EQ(a, b);
  }
  EXPECT_TRUE(dormant.dormant());
  dormant.wake();
  EXPECT_EQ(sequences(awake), sequences(dormant));
  EXPECT_LT((dense(awake.factor()) - dense(dormant.factor())).norm(), 1e-12);
}

TEST(Borrowing, ChildrenOfALaterSplitAnswerAsTheirParentDid) {
  const Stream stream = smooth_stream(5, 2, 1, 60);
  LocalGp parent = owner_of_ten(stream, 30);
  Workspace workspace;
  std::optional<std::uint64_t> displaced;
  for (Index i = 10; i < 35; ++i) parent.borrow(observation(stream, i), workspace, displaced);
  LocalGp first = parent;
  const LocalGp second =
      first.divide({true, false, true, false, true, false, true, false, true, true});
  EXPECT_EQ(first.owned(), 4);
  EXPECT_EQ(second.owned(), 6);
  EXPECT_EQ(sequences(first), sequences(parent));
  EXPECT_EQ(sequences(second), sequences(parent));
  for (Index j = 10; j < parent.size(); ++j) EXPECT_FALSE(first.owns(j) || second.owns(j));
  VectorXd a(1);
  VectorXd b(1);
  parent.predict(VectorXd::Zero(2), workspace, a);
  second.predict(VectorXd::Zero(2), workspace, b);
  EXPECT_EQ(a, b);
}

// Every observation has one owner, its borrowers are the most similar of the others, and nobody
// holds more than capacity + 1.
TEST(Borrowing, OffersGoToTheMostSimilar) {
  const Stream stream = smooth_stream(6, 3, 1, testing::kSanitized ? 700 : 1500);
  SplittingGp model(3, 1, options_of(15, 40));
  std::size_t borrowed = 0;
  for (Index i = 0; i < stream.X.cols(); ++i) {
    const std::vector<LocalPrediction> asked =
        model.n_local() > 0 ? model.explain(stream.X.col(i)).local : std::vector<LocalPrediction>{};
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i));
    ASSERT_EQ(testing::Invariants::violated(model, result), "");
    ASSERT_LE(result.record.borrowed.size(), 3u);
    borrowed += result.record.borrowed.size();
    if (asked.size() < 3 || result.record.borrowed.empty()) continue;
    // The two others that were asked come first, if they accepted.
    EXPECT_EQ(result.record.routed_to, asked[0].local_gp);
    std::set<Index> others{asked[1].local_gp, asked[2].local_gp};
    int beyond = 0;
    for (const Borrowing& one : result.record.borrowed)
      beyond += others.contains(one.local_gp) ? 0 : 1;
    EXPECT_LE(beyond, 1);
  }
  ASSERT_EQ(testing::Invariants::violated(model), "");
  EXPECT_GT(borrowed, static_cast<std::size_t>(stream.X.cols()));
}

TEST(Borrowing, PredictThenUpdateOffersTheSame) {
  const Stream stream = smooth_stream(7, 2, 2, 400);
  for (const Aggregation aggregation : {Aggregation::evidence, Aggregation::nearest}) {
    for (const int neighbors : {0, 1, 3, 12}) {
      Options options = options_of(10, 25);
      options.comparison.aggregation = aggregation;
      options.neighbors = neighbors;
      SplittingGp one(2, 2, options);
      SplittingGp other(2, 2, options);
      Prediction before;
      for (Index i = 0; i < stream.X.cols(); ++i) {
        one.predict_then_update(stream.X.col(i), stream.Y.col(i), before);
        other.update(stream.X.col(i), stream.Y.col(i));
      }
      testing::expect_same_bits(one, other, stream.X.leftCols(50));
    }
  }
}

// A prediction's solves are the new rows of the factors of those who learn it.
TEST(Borrowing, WhatAPredictionSolvedIsNotSolvedAgain) {
  const Stream stream = smooth_stream(9, 2, 1, 400);
  SplittingGp one(2, 1, options_of(10, 40));
  SplittingGp other(2, 1, options_of(10, 40));
  Prediction before;
  std::uint64_t together = 0, apart = 0;
  for (Index i = 0; i < stream.X.cols(); ++i) {
    together += one.predict_then_update(stream.X.col(i), stream.Y.col(i), before).record.operations;
    apart += other.update(stream.X.col(i), stream.Y.col(i)).record.operations;
  }
  // Both make the same solves, but for the second local GP's and the third's when they decline.
  EXPECT_LT(static_cast<double>(together), 1.05 * static_cast<double>(apart));
}

TEST(Borrowing, WithoutCapacityToSpareNothingIsOffered) {
  const Stream stream = smooth_stream(8, 2, 1, 300);
  SplittingGp model(2, 1, options_of(20, 20));
  for (const UpdateResult& result : model.update_batch(stream.X, stream.Y)) {
    EXPECT_TRUE(result.record.borrowed.empty());
  }
  EXPECT_EQ(model.options().neighbors, 8);
  EXPECT_EQ(testing::Invariants::violated(model), "");
}

}  // namespace
}  // namespace splitgp::borrowing_test
