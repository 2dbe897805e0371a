// What a local GP would expect with less knowledge, compared with local GPs that know less.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/local_gp/local_gp.h"
#include "support/local_gps.h"

namespace splitgp::look_back_test {
namespace {

using Eigen::Index;
using testing::local_gp_of;
using testing::make_theta;
using testing::smooth_stream;
using testing::Stream;

constexpr Index kPoints = 60;
// Both sides solve systems of condition up to about n·signal/noise = 1e4: 1e4·ε is 1e-12.
constexpr double kTolerance = 1e-10;

Options options_for(Index points) {
  Options options;
  options.split_limit = options.capacity = static_cast<int>(points);
  return options;
}

Hyperparameters some_theta() {
  Hyperparameters theta;
  theta.length_scale = Eigen::VectorXd{{0.4, 0.7}};
  theta.signal_variance = 1.7;
  theta.noise_variance = 0.02;
  theta.mean = Eigen::VectorXd{{0.3, -20.0}};
  theta.output_scale = Eigen::VectorXd{{1.0, 30.0}};
  return theta;
}

// What `local` expects of an observation: error and variance, noise included and in local scale.
struct Expected {
  Eigen::VectorXd error, variance;
  double share = 0.0;
};

Expected expect_of(const LocalGp& local, const Observation& observation) {
  Workspace workspace;
  Eigen::VectorXd mean(2);
  const double latent = local.predict(observation.x, workspace, mean).variance;
  const Hyperparameters& theta = local.theta().values;
  const double noise = theta.noise_variance + observation.noise_variance;
  Expected result{observation.y - mean, Eigen::VectorXd(2),
                  (latent + noise) / (theta.signal_variance + noise)};
  for (Index o = 0; o < 2; ++o) {
    result.variance(o) =
        (latent + noise) * local.local_scale(o) * std::pow(theta.output_scale(o), 2);
  }
  return result;
}

void expect_column(const LookedBack& back, Index column, const Expected& expected) {
  for (Index o = 0; o < 2; ++o) {
    EXPECT_NEAR(back.error(o, column), expected.error(o), kTolerance * 100.0);
    EXPECT_NEAR(back.variance(o, column) / expected.variance(o), 1.0, kTolerance);
  }
  EXPECT_NEAR(back.share(column), expected.share, kTolerance);
}

TEST(LookBack, ExpectsWhatWasExpectedBeforeTheLatestRows) {
  const Stream stream = smooth_stream(1, 2, 2, kPoints + 1);
  const ThetaPointer theta = make_theta(some_theta(), 2, 2);
  LocalGp local = local_gp_of({stream.X.leftCols(kPoints), stream.Y.leftCols(kPoints)}, theta,
                              options_for(100));
  const Observation next{stream.X.col(kPoints), stream.Y.col(kPoints), 0.5, kPoints};
  Workspace workspace;
  (void)local.look_ahead(next, workspace);
  LookedBack back(2);
  local.look_back(next, workspace, back);
  for (Index column = 0; column < LookedBack::kAges; ++column) {
    SCOPED_TRACE(column);
    const Index known =
        std::max<Index>(0, kPoints + 1 - static_cast<Index>(LookedBack::age(column)));
    const LocalGp earlier =
        local_gp_of({stream.X.leftCols(known), stream.Y.leftCols(known)}, theta, options_for(100));
    expect_column(back, column, expect_of(earlier, next));
  }
  // Nothing has changed: it can still be learned.
  EXPECT_EQ(local.size(), kPoints);
}

TEST(LookBack, LeavesOutAPointAsIfItHadNeverCome) {
  const Stream stream = smooth_stream(2, 2, 2, kPoints);
  const ThetaPointer theta = make_theta(some_theta(), 2, 2);
  const LocalGp local = local_gp_of(stream, theta, options_for(100));
  for (const Index left_out : {Index{0}, Index{17}, kPoints - 1}) {
    SCOPED_TRACE(left_out);
    Workspace workspace;
    LookedBack back(2);
    local.leave_out(left_out, workspace, back);
    LocalGp without = local;
    const std::vector<Index> rows{left_out};
    without.forget(rows);
    const Observation point{stream.X.col(left_out), stream.Y.col(left_out)};
    Expected expected = expect_of(without, point);
    // The scale is that of all points, which one of them hardly moves.
    for (Index o = 0; o < 2; ++o)
      expected.variance(o) *= local.local_scale(o) / without.local_scale(o);
    expect_column(back, LookedBack::kLeftOut, expected);
  }
}

}  // namespace
}  // namespace splitgp::look_back_test
