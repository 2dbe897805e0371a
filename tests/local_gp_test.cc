#include "core/local_gp/local_gp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "splitgp/error.h"
#include "support/factor.h"
#include "support/local_gps.h"

namespace splitgp::local_gp_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::dense;
using testing::full_gp_of;
using testing::FullGp;
using testing::kFamilies;
using testing::local_gp_of;
using testing::make_theta;
using testing::owned_sequences;
using testing::Random;
using testing::smooth_stream;
using testing::Stream;

// Both sides solve systems of condition up to about n·signal/noise = 1e4: 1e4·ε is 1e-12.
constexpr double kTolerance = 1e-10;

Options options_of(int split_limit, bool inherit = true) {
  Options options;
  options.split_limit = split_limit;
  options.capacity = split_limit;
  options.comparison.inherit = inherit;
  return options;
}

// θ in which nothing is 1 or 0.
Hyperparameters varied_theta(KernelFamily family, Index inputs, Index outputs) {
  Hyperparameters theta;
  theta.kernel = family;
  theta.length_scale = VectorXd::LinSpaced(inputs, 0.4, 1.3);
  theta.signal_variance = 1.7;
  theta.noise_variance = 0.02;
  theta.shape = 0.8;
  theta.mean = VectorXd::LinSpaced(outputs, -0.6, 0.9);
  theta.output_scale = VectorXd::LinSpaced(outputs, 0.5, 30.0);
  return theta;
}

void expect_agreement(const LocalGp& local, const FullGp& full) {
  const VectorXd& scale = local.theta().values.output_scale;
  Random random(99);
  const MatrixXd queries = testing::uniform_inputs(random, local.inputs().cols(), 20, 1.5);
  const Prediction expected = full.predict(queries);
  Workspace workspace;
  for (Index q = 0; q < queries.cols(); ++q) {
    VectorXd mean(scale.size());
    const LocalGp::Posterior posterior = local.predict(queries.col(q), workspace, mean);
    for (Index o = 0; o < scale.size(); ++o) {
      const double squared_scale = scale(o) * scale(o);
      EXPECT_NEAR(mean(o), expected.mean(o, q), kTolerance * scale(o));
      EXPECT_NEAR(posterior.variance * squared_scale, expected.variance(o, q),
                  kTolerance * squared_scale);
    }
    EXPECT_NEAR(posterior.variance + posterior.explained, local.theta().values.signal_variance,
                1e-14);
  }
}

VectorXd mean_of_owned(const LocalGp& local) {
  VectorXd sum = VectorXd::Zero(local.inputs().cols());
  for (Index j = 0; j < local.size(); ++j) {
    if (local.owns(j)) sum += local.inputs().row(j).transpose();
  }
  return sum / static_cast<double>(local.owned());
}

std::vector<bool> leaves_right_of_center(const LocalGp& local) {
  std::vector<bool> leaves;
  for (Index j = 0; j < local.size(); ++j) {
    leaves.push_back(local.inputs()(j, 0) > local.center()(0));
  }
  return leaves;
}

TEST(LocalGp, AppendMatchesBatchFit) {
  for (const KernelFamily family : kFamilies) {
    for (const Index outputs : {1, 3}) {
      SCOPED_TRACE(::testing::Message() << to_string(family) << ", " << outputs << " outputs");
      const Stream stream = smooth_stream(1, 2, outputs, 40);
      LocalGp local(2, outputs, make_theta(varied_theta(family, 2, outputs), 2, outputs),
                    options_of(40));
      Workspace workspace;
      Random random(2);
      for (Index i = 0; i < 40; ++i) {
        // Every third observation is known to be noisy, a few of them very.
        const double noise = i % 3 == 0 ? std::exp(random.uniform(-6.0, 3.0)) : 0.0;
        const double jitter = local.append(
            {stream.X.col(i), stream.Y.col(i), noise, static_cast<std::uint64_t>(i)}, workspace);
        EXPECT_EQ(jitter, 0.0);
        if (i < 5 || i == 39) expect_agreement(local, full_gp_of(local));
      }
      EXPECT_EQ(local.inputs().transpose(), stream.X);
      EXPECT_EQ(local.outputs().transpose(), stream.Y);
      EXPECT_EQ(local.owned(), 40);
      EXPECT_EQ(local.borrowed(), 0);
    }
  }
}

TEST(LocalGp, CenterIsTheMeanOfTheOwnedInputs) {
  Stream stream = smooth_stream(3, 3, 1, 31);
  stream.X.array() += 1e8;
  LocalGp first = local_gp_of(stream, make_theta({}, 3, 1), options_of(30));
  // Inputs near 1e8 are known to 1.5e-8; a running mean rounds once for each of them.
  EXPECT_LT((first.center() - mean_of_owned(first)).norm(), 1e-6);
  LocalGp second = first.divide(leaves_right_of_center(first));
  EXPECT_LT((first.center() - mean_of_owned(first)).norm(), 1e-6);
  EXPECT_LT((second.center() - mean_of_owned(second)).norm(), 1e-6);
  EXPECT_LT(first.center()(0), second.center()(0));

  Workspace workspace;
  second.append({VectorXd::Constant(3, 1e8 + 9.0), VectorXd::Zero(1), 0.0, 31}, workspace);
  second.make_room(workspace);
  EXPECT_LT((second.center() - mean_of_owned(second)).norm(), 1e-6);
}

TEST(LocalGp, DivideWithInheritChangesNoPrediction) {
  const Stream stream = smooth_stream(4, 2, 3, 26);
  const ThetaPointer theta = make_theta(varied_theta(KernelFamily::matern52, 2, 3), 2, 3);
  LocalGp first = local_gp_of(stream, theta, options_of(25));
  const FullGp parent = full_gp_of(first);
  const std::vector<bool> leaves = leaves_right_of_center(first);
  const LocalGp second = first.divide(leaves);

  const auto leaving = std::count(leaves.begin(), leaves.end(), true);
  EXPECT_EQ(second.owned(), leaving);
  EXPECT_EQ(first.owned(), 26 - leaving);
  EXPECT_EQ(first.size(), 26);
  EXPECT_EQ(second.size(), 26);
  for (Index j = 0; j < 26; ++j) {
    EXPECT_NE(first.owns(j), second.owns(j));
    EXPECT_EQ(second.owns(j), leaves[static_cast<std::size_t>(j)]);
    EXPECT_EQ(first.sequence(j), second.sequence(j));
  }
  expect_agreement(first, parent);
  expect_agreement(second, parent);
}

TEST(LocalGp, DivideWithoutInheritKeepsOnlyTheOwned) {
  const Stream stream = smooth_stream(4, 2, 3, 26);
  const ThetaPointer theta = make_theta(varied_theta(KernelFamily::rbf, 2, 3), 2, 3);
  LocalGp first = local_gp_of(stream, theta, options_of(25, false));
  const std::vector<bool> leaves = leaves_right_of_center(first);
  const LocalGp second = first.divide(leaves);

  EXPECT_EQ(first.borrowed(), 0);
  EXPECT_EQ(second.borrowed(), 0);
  std::vector<std::uint64_t> expected[2];
  for (std::size_t j = 0; j < leaves.size(); ++j) expected[leaves[j] ? 1 : 0].push_back(j);
  EXPECT_EQ(owned_sequences(first), expected[0]);
  EXPECT_EQ(owned_sequences(second), expected[1]);
  for (const LocalGp* local : {&std::as_const(first), &second}) {
    for (Index j = 0; j < local->size(); ++j) {
      const auto i = static_cast<Index>(local->sequence(j));
      EXPECT_EQ(local->inputs().row(j).transpose(), stream.X.col(i));
      EXPECT_EQ(local->outputs().row(j).transpose(), stream.Y.col(i));
    }
    expect_agreement(*local, full_gp_of(*local));
  }
}

TEST(LocalGp, MakeRoomDropsTheFarthestBorrowed) {
  const Stream stream = smooth_stream(5, 2, 3, 60);
  const ThetaPointer theta = make_theta(varied_theta(KernelFamily::matern32, 2, 3), 2, 3);
  LocalGp local =
      local_gp_of({stream.X.leftCols(21), stream.Y.leftCols(21)}, theta, options_of(20));
  local.divide(leaves_right_of_center(local));
  Workspace workspace;
  for (Index i = 21; local.borrowed() > 0; ++i) {
    const double noise = 0.1 * static_cast<double>(i % 4);
    local.append({stream.X.col(i), stream.Y.col(i), noise, static_cast<std::uint64_t>(i)},
                 workspace);
    Index farthest = -1;
    double distance = -1.0;
    for (Index j = 0; j < local.size(); ++j) {
      const VectorXd difference = local.inputs().row(j).transpose() - local.center();
      const double r = difference.cwiseQuotient(theta->values.length_scale).norm();
      if (!local.owns(j) && r > distance) {
        distance = r;
        farthest = j;
      }
    }
    const std::uint64_t dropped = local.sequence(farthest);
    const std::vector<std::uint64_t> owned = owned_sequences(local);
    local.make_room(workspace);
    EXPECT_EQ(local.size(), 21);
    EXPECT_EQ(owned_sequences(local), owned);
    for (Index j = 0; j < local.size(); ++j) {
      ASSERT_NE(local.sequence(j), dropped);
      const auto from = static_cast<Index>(local.sequence(j));
      EXPECT_EQ(local.inputs().row(j).transpose(), stream.X.col(from));
      EXPECT_EQ(local.outputs().row(j).transpose(), stream.Y.col(from));
      EXPECT_EQ(local.noise_variance()(j), from < 21 ? 0.0 : 0.1 * static_cast<double>(from % 4));
    }
    expect_agreement(local, full_gp_of(local));
  }
  EXPECT_EQ(local.owned(), 21);
}

TEST(LocalGp, RefitEqualsAFreshOne) {
  const Stream stream = smooth_stream(6, 2, 3, 30);
  const ThetaPointer before = make_theta(varied_theta(KernelFamily::rbf, 2, 3), 2, 3);
  Hyperparameters changed = varied_theta(KernelFamily::matern12, 2, 3);
  changed.length_scale *= 0.7;
  changed.noise_variance = 0.3;
  changed.output_scale *= 2.0;
  changed.mean.setConstant(0.1);
  const ThetaPointer after = make_theta(changed, 2, 3, 4);

  LocalGp local = local_gp_of(stream, before, options_of(30));
  local.refit(after);
  const LocalGp other = local_gp_of(stream, after, options_of(30));
  EXPECT_EQ(local.theta().version, 4u);
  EXPECT_EQ(local.center(), other.center());
  EXPECT_EQ(owned_sequences(local), owned_sequences(other));
  EXPECT_LT((dense(local.factor()) - dense(other.factor())).norm(), 1e-13);
  expect_agreement(local, full_gp_of(other));
}

TEST(LocalGp, KeepsOjasDirection) {
  // Wide along (1, 1) in the space of length scales (1, 10).
  Random random(8);
  const Index n = 800;
  MatrixXd X(2, n);
  for (Index i = 0; i < n; ++i) {
    const double along = 3.0 * random.normal();
    const double across = random.normal();
    X.col(i) << along + across, 10.0 * (along - across);
  }
  Hyperparameters theta;
  theta.length_scale = Eigen::Vector2d(1.0, 10.0);
  Options options = options_of(static_cast<int>(n), false);
  options.comparison.principal_direction = PrincipalDirection::oja;
  LocalGp local = local_gp_of(X, theta, options);
  const auto cosine = [&] {
    return std::abs(local.principal_direction().dot(Eigen::Vector2d(1.0, 1.0).normalized()));
  };
  EXPECT_GT(cosine(), 0.99);
  // A child's and a refitted one's are those of their own inputs, as if they had come one by one.
  const LocalGp child = local.divide(leaves_right_of_center(local));
  EXPECT_EQ(child.principal_direction(),
            local_gp_of(child.inputs().transpose(), theta, options).principal_direction());
  theta.length_scale << 10.0, 1.0;
  local.refit(make_theta(theta, 2, 1));
  EXPECT_EQ(local.principal_direction(),
            local_gp_of(local.inputs().transpose(), theta, options).principal_direction());
  EXPECT_LT(cosine(), 0.9);
}

}  // namespace
}  // namespace splitgp::local_gp_test
