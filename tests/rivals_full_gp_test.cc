#include <gtest/gtest.h>

#include <Eigen/Core>

#include "rivals/blocked_solve.h"
#include "rivals/exact_gp.h"
#include "rivals/rivals.h"
#include "support/factor.h"
#include "support/full_gp.h"
#include "support/reference_kernel.h"
#include "support/rival.h"
#include "support/streams.h"

namespace splitgp::rivals {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using splitgp::testing::Random;
using splitgp::testing::rival_theta;
using splitgp::testing::smooth_stream;
using splitgp::testing::Stream;
using splitgp::testing::untrained;
using testing::append;
using testing::remove;

// cond(K) is below signal·n/noise ≈ 2e4, so ten digits are safe.
constexpr double kTolerance = 1e-9;

void expect_near(const Prediction& a, const Prediction& b, double tolerance) {
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((a.variance - b.variance).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((a.noise_variance - b.noise_variance).cwiseAbs().maxCoeff(), tolerance);
}

TEST(RivalFullGp, IsTheTextbooksForEveryKernelRowByRowAndInBatches) {
  const Stream stream = smooth_stream(1, 3, 2, 200);
  const MatrixXd queries = smooth_stream(2, 3, 1, 40).X;
  const VectorXd noise = VectorXd::LinSpaced(200, 0.0, 0.1);
  for (const KernelFamily family : splitgp::testing::kFamilies) {
    const Hyperparameters theta = rival_theta(3, family);
    const Prediction expected =
        splitgp::testing::FullGp(theta, stream.X, stream.Y, noise).predict(queries);
    FullGp rows(3, 2, untrained<CommonOptions>(theta));
    for (Index i = 0; i < 200; ++i) rows.update(stream.X.col(i), stream.Y.col(i), noise(i));
    expect_near(rows.predict(queries), expected, kTolerance);
    FullGp batch(3, 2, untrained<CommonOptions>(theta));
    batch.update_batch(stream.X, stream.Y, noise);
    expect_near(batch.predict(queries), expected, kTolerance);
    for (Index q = 0; q < 5; ++q) {  // one by one is another path through the solver
      const Prediction single = batch.predict(queries.col(q));
      EXPECT_NEAR(single.mean(1, 0), expected.mean(1, q), kTolerance);
      EXPECT_NEAR(single.variance(1, 0), expected.variance(1, q), kTolerance);
    }
  }
}

TEST(RivalFullGp, ANewThetaRefits) {
  const Stream stream = smooth_stream(3, 2, 2, 150);
  FullGp gp(2, 2, untrained<CommonOptions>({}));
  gp.update_batch(stream.X, stream.Y);
  const Hyperparameters theta = rival_theta(2);
  gp.set_hyperparameters(theta);
  EXPECT_EQ(gp.theta_version(), 1U);
  expect_near(
      gp.predict(stream.X),
      splitgp::testing::FullGp(theta, stream.X, stream.Y, VectorXd::Zero(150)).predict(stream.X),
      kTolerance);
}

TEST(RivalFullGp, RepeatedInputsWithoutNoiseWork) {
  Hyperparameters theta = rival_theta(2, KernelFamily::rbf);
  theta.noise_variance = 0.0;
  FullGp gp(2, 2, untrained<CommonOptions>(theta));
  gp.update_batch(MatrixXd::Constant(2, 300, 0.5), MatrixXd::Constant(2, 300, 3.0));
  const Prediction p = gp.predict(Eigen::Vector2d(0.5, 0.5));
  EXPECT_NEAR(p.mean(0, 0), 3.0, 1e-6);
  EXPECT_NEAR(p.mean(1, 0), 3.0, 1e-6);
  EXPECT_GT(p.variance(0, 0), 0.0);
}

TEST(RivalFullGp, MemoryIsWhatTheFactorNeedsAndAtMostHalfMore) {
  FullGp gp(1, 1, untrained<CommonOptions>({}));
  for (Index i = 0; i < 400; ++i) {
    gp.update(VectorXd::Constant(1, static_cast<double>(i)), VectorXd::Zero(1));
  }
  const std::size_t factor = 400 * 401 / 2 * sizeof(double);
  EXPECT_GT(gp.memory_bytes(), factor);
  EXPECT_LT(gp.memory_bytes(), factor * 18 / 10);  // (1 + 1/5)², gaps and everything else
}

TEST(BlockedSolve, MatchesTheFactorsOwnAlsoWithGaps) {
  Random random(4);
  const Index n = 300;
  const MatrixXd A = random.normal_matrix(n, n);
  const MatrixXd K = A * A.transpose() + static_cast<double>(n) * MatrixXd::Identity(n, n);
  GrowingCholesky factor;
  for (Index i = 0; i < n; ++i) append(factor, K.col(i).head(i), K(i, i));
  remove(factor, 17);
  remove(factor, 200);
  const MatrixXd B = random.normal_matrix(factor.size(), 20);
  MatrixXd blocked = B;
  solve_lower_blocked(factor, blocked);
  MatrixXd plain = B;
  factor.solve_lower(plain);
  EXPECT_LT((blocked - plain).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(ExactGp, SubsetAndRemovalMatchAFreshGp) {
  const Stream stream = smooth_stream(5, 2, 2, 120);
  const auto theta = std::make_shared<const Theta>(rival_theta(2), 0);
  const auto zeros = [](const MatrixXd& X) {
    return std::vector<std::uint64_t>(static_cast<std::size_t>(X.cols()));
  };
  const VectorXd noise = VectorXd::Zero(120);
  ExactGp gp(2, 2, theta);
  gp.append({stream.X, stream.Y, noise, zeros(stream.X)});
  std::vector<Index> kept;
  for (Index i = 0; i < 120; i += 3) kept.push_back(i);
  const MatrixXd X = stream.X(Eigen::all, kept);
  const MatrixXd Y = stream.Y(Eigen::all, kept);
  ExactGp fresh(2, 2, theta);
  fresh.append({X, Y, noise.head(X.cols()), zeros(X)});
  const ExactGp subset = gp.subset(kept);
  for (Index i = 119; i >= 0; --i) {
    if (i % 3 != 0) gp.remove(i);
  }
  const ExactGp::Posterior expected = fresh.predict(stream.X);
  for (const ExactGp* same : {&subset, static_cast<const ExactGp*>(&gp)}) {
    ASSERT_EQ(same->size(), fresh.size());
    EXPECT_LT((same->center() - fresh.center()).norm(), 1e-14);
    const ExactGp::Posterior posterior = same->predict(stream.X);
    EXPECT_LT((posterior.mean - expected.mean).cwiseAbs().maxCoeff(), kTolerance);
    EXPECT_LT((posterior.variance - expected.variance).cwiseAbs().maxCoeff(), kTolerance);
  }
}

}  // namespace
}  // namespace splitgp::rivals
