#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "rivals/rivals.h"
#include "support/full_gp.h"
#include "support/rival.h"
#include "support/streams.h"

namespace splitgp::rivals {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using splitgp::testing::rival_theta;
using splitgp::testing::smooth_stream;
using splitgp::testing::Stream;
using splitgp::testing::untrained;

RobustBcmOptions committee(int experts, Combination combination) {
  RobustBcmOptions options = untrained<RobustBcmOptions>(rival_theta(2));
  options.experts = experts;
  options.combination = combination;
  return options;
}

// Two experts and few observations, so that there are few ways to share them: one of the ways must
// give the model's own prediction, by the formulas as Deisenroth & Ng print them.
struct Moments {
  double mean;
  double variance;
};
Moments as_printed(Combination combination, const std::vector<Moments>& experts, double prior_mean,
                   double prior_variance) {
  const double M = static_cast<double>(experts.size());
  double precision = 0.0;
  double sum = 0.0;
  double weights = 0.0;
  for (const Moments& expert : experts) {
    double beta = 1.0;
    if (combination == Combination::gpoe) beta = 1.0 / M;
    if (combination == Combination::rbcm)
      beta = 0.5 * (std::log(prior_variance) - std::log(expert.variance));
    precision += beta / expert.variance;
    sum += beta / expert.variance * (expert.mean - prior_mean);
    weights += beta;
  }
  if (combination == Combination::bcm) precision += (1.0 - M) / prior_variance;
  if (combination == Combination::rbcm) precision += (1.0 - weights) / prior_variance;
  return {prior_mean + sum / precision, 1.0 / precision};
}

TEST(RobustBcm, IsThePapersFormulasOverSomeBalancedShares) {
  const Hyperparameters theta = rival_theta(2);
  const Stream stream = smooth_stream(1, 2, 2, 8);
  const MatrixXd queries = smooth_stream(2, 2, 1, 6).X;
  for (const Combination combination :
       {Combination::rbcm, Combination::bcm, Combination::poe, Combination::gpoe}) {
    RobustBcm gp(2, 2, committee(2, combination));
    gp.update_batch(stream.X, stream.Y);
    ASSERT_EQ(gp.n_local(), 2);
    const Prediction p = gp.predict(queries);
    double smallest = std::numeric_limits<double>::infinity();
    // Each round of two observations goes either way: 2⁴ ways.
    for (unsigned way = 0; way < 16; ++way) {
      std::vector<Index> shares[2];
      for (unsigned i = 0; i < 8; ++i) shares[((way >> (i / 2)) & 1U) ^ (i & 1U)].push_back(i);
      std::vector<Prediction> experts;
      for (const auto& share : shares) {
        const MatrixXd X = stream.X(Eigen::all, share);
        const MatrixXd Y = stream.Y(Eigen::all, share);
        experts.push_back(
            splitgp::testing::FullGp(theta, X, Y, VectorXd::Zero(4)).predict(queries));
      }
      double worst = 0.0;
      for (Index q = 0; q < 6; ++q) {
        for (Index o = 0; o < 2; ++o) {
          const double prior =
              theta.signal_variance * theta.output_scale(o) * theta.output_scale(o);
          const Moments expected = as_printed(combination,
                                              {{experts[0].mean(o, q), experts[0].variance(o, q)},
                                               {experts[1].mean(o, q), experts[1].variance(o, q)}},
                                              theta.mean(o), prior);
          worst = std::max(worst, std::abs(p.mean(o, q) - expected.mean));
          worst = std::max(worst, std::abs(p.variance(o, q) - expected.variance));
        }
      }
      smallest = std::min(smallest, worst);
    }
    EXPECT_LT(smallest, 1e-10) << to_string(combination);
  }
}

TEST(RobustBcm, OneExpertOfACommitteeMachineIsTheFullGp) {
  const Stream stream = smooth_stream(3, 2, 2, 60);
  const Prediction expected =
      splitgp::testing::FullGp(rival_theta(2), stream.X, stream.Y, VectorXd::Zero(60))
          .predict(stream.X);
  for (const Combination combination : {Combination::bcm, Combination::poe, Combination::gpoe}) {
    RobustBcm gp(2, 2, committee(1, combination));
    gp.update_batch(stream.X, stream.Y);
    const Prediction p = gp.predict(stream.X);
    EXPECT_LT((p.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((p.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(RobustBcm, FarAwayTheCommitteeMachinesAnswerThePrior) {
  const Stream stream = smooth_stream(4, 2, 2, 60);
  for (const Combination combination : {Combination::rbcm, Combination::bcm}) {
    RobustBcm gp(2, 2, committee(5, combination));
    gp.update_batch(stream.X, stream.Y);
    const Prediction p = gp.predict(Eigen::Vector2d(1e6, -1e6));
    EXPECT_NEAR(p.mean(1, 0), -5.0, 1e-12);
    EXPECT_NEAR(p.variance(1, 0), 1.7 * 2.5 * 2.5, 1e-12);
  }
}

TEST(RobustBcm, RowsAndBatchesShareTheStreamAlike) {
  const Stream stream = smooth_stream(5, 2, 2, 100);
  RobustBcm batch(2, 2, committee(3, Combination::rbcm));
  RobustBcm rows(2, 2, committee(3, Combination::rbcm));
  batch.update_batch(stream.X, stream.Y);
  for (Index i = 0; i < 100; ++i) rows.update(stream.X.col(i), stream.Y.col(i));
  EXPECT_LT((batch.predict(stream.X).mean - rows.predict(stream.X).mean).cwiseAbs().maxCoeff(),
            1e-9);
}

}  // namespace
}  // namespace splitgp::rivals
