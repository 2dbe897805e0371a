// Proposition 1 of the paper: a split changes no prediction, since a child's prior is its parent's
// posterior (equation 2).

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdio>
#include <string>

#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/streams.h"

namespace splitgp::proposition1_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kSplitLimit = 60;
constexpr Index kInputs = 2;
constexpr Index kOutputs = 2;

// Outputs are of size 1 and the children condition on their parent's factor, so what is left is the
// rounding of weights that sum to 1 and of square roots: some 1e-15. 1e-10 is the promise.
constexpr double kTolerance = 1e-10;

struct Change {
  double mean = 0.0;
  double variance = 0.0;
};

// What the first split changes, at 1,000 points in and around the data. The split happens inside
// the update with the (m+1)-th observation; the parent that has learned it but is not split is a
// model of the same stream with a larger m.
Change change_at_first_split(Options options) {
  options.split_limit = kSplitLimit;
  options.hyperparameters.emplace().length_scale = VectorXd{{0.5, 0.9}};
  options.hyperparameters->mean = VectorXd{{0.2, -0.4}};
  options.hyperparameters->output_scale = VectorXd{{1.0, 1.5}};
  const testing::Stream stream = testing::smooth_stream(21, kInputs, kOutputs, kSplitLimit + 1);
  testing::Random random(22);
  const MatrixXd queries = testing::uniform_inputs(random, kInputs, 1000, 1.5);

  SplittingGp split(kInputs, kOutputs, options);
  split.update_batch(stream.X, stream.Y);
  EXPECT_EQ(split.n_local(), 2);
  options.split_limit = kSplitLimit + 1;
  SplittingGp whole(kInputs, kOutputs, options);
  whole.update_batch(stream.X, stream.Y);
  EXPECT_EQ(whole.n_local(), 1);

  const Prediction before = whole.predict(queries);
  const Prediction after = split.predict(queries);
  return {(after.mean - before.mean).cwiseAbs().maxCoeff(),
          (after.variance - before.variance).cwiseAbs().maxCoeff()};
}

class Proposition1 : public ::testing::TestWithParam<Aggregation> {};

TEST_P(Proposition1, FirstSplitWithInheritChangesNoPrediction) {
  for (const PrincipalDirection direction : {PrincipalDirection::exact, PrincipalDirection::oja}) {
    for (const int neighbors : {0, 1, 8}) {
      Options options = testing::fixed_theta();
      options.comparison.aggregation = GetParam();
      options.comparison.principal_direction = direction;
      options.neighbors = neighbors;
      SCOPED_TRACE(::testing::Message() << to_string(direction) << ", neighbors " << neighbors);
      const Change change = change_at_first_split(options);
      EXPECT_LE(change.mean, kTolerance);
      EXPECT_LE(change.variance, kTolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SplittingGp, Proposition1,
                         ::testing::Values(Aggregation::evidence, Aggregation::similarity,
                                           Aggregation::nearest),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// The pseudo-code drops half of the data from each child, which is not what equation 2 says.
TEST(SplittingGp, FirstSplitOfThePaperPresetChangesPredictions) {
  const Change change = change_at_first_split(testing::fixed_theta(Options::paper()));
  std::printf(
      "paper preset, first split: the mean changes by up to %.3f, the variance by up to %.3f\n",
      change.mean, change.variance);
  ::testing::Test::RecordProperty("mean_change", std::to_string(change.mean));
  ::testing::Test::RecordProperty("variance_change", std::to_string(change.variance));
  // A tenth of the outputs' size, nine orders above the tolerance.
  EXPECT_GE(change.mean, 0.1);
  EXPECT_GE(change.variance, 0.1);
}

// Not only the first: at every split of a long stream, the two children, which share what their
// parent knew, give the same answers everywhere at that moment.
TEST(SplittingGp, SiblingsAgreeWheneverTheyAreMade) {
  Options options = testing::fixed_theta();
  options.split_limit = 20;
  options.neighbors = 0;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(kInputs, 0.5);
  SplittingGp model(kInputs, kOutputs, options);
  const testing::Stream stream = testing::smooth_stream(23, kInputs, kOutputs, 600);
  testing::Random random(24);
  for (Index i = 0; i < stream.X.cols(); ++i) {
    const UpdateResult result = model.update(stream.X.col(i), stream.Y.col(i));
    if (!result.record.new_local_gp) continue;
    const Index first = model.split_history().back().parent;
    const Index second = *result.record.new_local_gp;
    for (int q = 0; q < 5; ++q) {
      const Explanation explanation =
          model.explain(testing::uniform_inputs(random, kInputs, 1).col(0));
      const LocalPrediction* said_by_first = nullptr;
      const LocalPrediction* said_by_second = nullptr;
      for (const LocalPrediction& local : explanation.local) {
        if (local.local_gp == first) said_by_first = &local;
        if (local.local_gp == second) said_by_second = &local;
      }
      ASSERT_TRUE(said_by_first != nullptr && said_by_second != nullptr);
      // The factor was copied: not a bit is different.
      EXPECT_EQ(said_by_first->mean, said_by_second->mean);
      EXPECT_EQ(said_by_first->variance, said_by_second->variance);
    }
  }
  EXPECT_GE(model.split_history().size(), 30U);
}

}  // namespace
}  // namespace splitgp::proposition1_test
