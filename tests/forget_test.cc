// Forgetting is exact: whatever was learned, split, trained and forgotten, every local GP is what a
// fresh factorisation of the points it holds would be.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/api/internals.h"
#include "splitgp/error.h"
#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/invariants.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"

namespace splitgp::forget_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using ::testing::HasSubstr;
using testing::Invariants;
using testing::Random;

// "" or how far a local GP is from one that never held anything else.
std::string stale(const SplittingGp& model, Random& random) {
  const ModelState& state = Internals::of(model);
  Workspace workspace;
  for (Index i = 0; i < state.partition.size(); ++i) {
    const LocalGp& local = state.partition.at(i);
    LocalGp::Points points{local.inputs(), local.outputs(), local.noise_variance(), {}, {}};
    VectorXd center = VectorXd::Zero(state.inputs);
    for (Index j = 0; j < local.size(); ++j) {
      points.sequence.push_back(local.sequence(j));
      points.owned.push_back(local.owns(j) ? 1 : 0);
      if (local.owns(j)) center += local.inputs().row(j).transpose();
    }
    center /= static_cast<double>(local.owned());
    const auto theta = std::make_shared<const Theta>(local.theta().values, local.theta().version);
    LocalGp fresh = LocalGp::restore(std::move(points), theta, state.options);
    fresh.wake();
    if (!((local.center() - center).norm() <= 1e-9)) return "a center is not the mean of its own";
    if (fresh.center() != local.center()) return "a loaded model would have another center";
    for (int q = 0; q < 3; ++q) {
      const VectorXd x =
          VectorXd::NullaryExpr(state.inputs, [&] { return random.uniform(-1.5, 1.5); });
      VectorXd mean(state.outputs), expected(state.outputs);
      const double variance = local.predict(x, workspace, mean).variance;
      const double expected_variance = fresh.predict(x, workspace, expected).variance;
      if ((mean - expected).cwiseAbs().maxCoeff() > 1e-8)
        return "local GP " + std::to_string(i) + " is off by " +
               std::to_string((mean - expected).cwiseAbs().maxCoeff()) + " in its mean";
      if (std::abs(variance - expected_variance) > 1e-8)
        return "local GP " + std::to_string(i) + " is off in its variance";
    }
  }
  return "";
}

std::vector<std::uint64_t> held(const SplittingGp& model) { return model.observations().sequence; }

struct Kind {
  const char* name;
  int split_limit;
  int capacity;
  bool inherit;
  PrincipalDirection direction;
};

class Forget : public ::testing::TestWithParam<Kind> {};

TEST_P(Forget, LeavesWhatWasNeverLearned) {
  const Kind& kind = GetParam();
  Options options = testing::fixed_theta();
  options.split_limit = kind.split_limit;
  options.capacity = kind.capacity;
  options.comparison.inherit = kind.inherit;
  options.comparison.principal_direction = kind.direction;
  options.hyperparameters.emplace().noise_variance = 0.05;
  constexpr int kSeeds = testing::kSanitized ? 2 : 8;
  int merged = 0;
  int emptied = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Random random(static_cast<unsigned>(100 + seed));
    SplittingGp model(2, 2, options);
    std::set<std::uint64_t> expected;
    for (int step = 0; step < 120; ++step) {
      const double what = random.uniform(0.0, 1.0);
      if (what < 0.5) {
        const int rows = static_cast<int>(random.uniform(1.0, 40.0));
        const VectorXd place = VectorXd::NullaryExpr(2, [&] { return random.uniform(-1.0, 1.0); });
        for (int r = 0; r < rows; ++r) {
          const VectorXd x =
              place + 0.3 * VectorXd::NullaryExpr(2, [&] { return random.normal(); });
          const VectorXd y{{std::sin(3 * x(0)) + x(1), 0.1 * random.normal()}};
          expected.insert(model.update(x, y, random.uniform(0.0, 1.0) < 0.2 ? 0.1 : 0.0).sequence);
        }
      } else if (what < 0.85) {
        std::vector<std::uint64_t> some = held(model);
        const double share = std::pow(random.uniform(0.0, 1.0), 3);
        std::erase_if(some, [&](std::uint64_t) { return random.uniform(0.0, 1.0) > share; });
        std::reverse(some.begin(), some.end());
        const ForgetResult result = model.forget(some);
        EXPECT_EQ(result.forgotten, some.size());
        merged += static_cast<int>(result.merged.size());
        for (const std::uint64_t one : some) expected.erase(one);
      } else if (what < 0.9) {
        const auto before = static_cast<std::uint64_t>(random.uniform(0.0, 1.0) *
                                                       static_cast<double>(model.n_seen() + 1));
        const std::uint64_t n = model.n_observations();
        EXPECT_EQ(model.forget_before(before).forgotten + model.n_observations(), n);
        expected.erase(expected.begin(), expected.lower_bound(before));
      } else if (what < 0.92) {
        model.forget(held(model));
        EXPECT_EQ(model.n_local(), 0);
        expected.clear();
        ++emptied;
      } else {
        Hyperparameters theta = model.hyperparameters();
        theta.length_scale = VectorXd::Constant(2, random.uniform(0.3, 2.0));
        theta.noise_variance = random.uniform(0.02, 0.2);
        model.set_hyperparameters(theta);
      }
      ASSERT_EQ(Invariants::violated(model), "") << "step " << step << " of seed " << seed;
      ASSERT_EQ(model.n_observations(), expected.size());
      if (step % 4 == 0) {
        ASSERT_EQ(stale(model, random), "") << "step " << step << " of seed " << seed;
      }
    }
    const std::vector<std::uint64_t> left = held(model);
    EXPECT_TRUE(std::equal(left.begin(), left.end(), expected.begin(), expected.end()));
  }
  EXPECT_GT(merged, 10 * kSeeds);
  EXPECT_GT(emptied, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Forget,
    ::testing::Values(Kind{"borrowing", 16, 64, true, PrincipalDirection::exact},
                      Kind{"inheriting", 20, 20, true, PrincipalDirection::oja},
                      Kind{"paper", 12, 12, false, PrincipalDirection::exact},
                      Kind{"tiny", 1, 4, true, PrincipalDirection::exact}),
    [](const auto& kind) { return kind.param.name; });

SplittingGp learned(Options options, int rows, unsigned seed = 7) {
  SplittingGp model(2, 1, options);
  Random random(seed);
  for (int i = 0; i < rows; ++i) {
    const VectorXd x = VectorXd::NullaryExpr(2, [&] { return random.uniform(-1.0, 1.0); });
    model.update(x, VectorXd::Constant(1, std::sin(3 * x(0))));
  }
  return model;
}

Options small() {
  Options options = testing::fixed_theta();
  options.split_limit = 16;
  options.hyperparameters.emplace().noise_variance = 0.05;
  return options;
}

std::string refused(SplittingGp& model, const std::vector<std::uint64_t>& sequences) {
  try {
    model.forget(sequences);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(ForgetErrors, NameTheNumbersAndForgetNothing) {
  SplittingGp model = learned(small(), 100);
  model.forget(std::vector<std::uint64_t>{17});
  const MatrixXd X = MatrixXd::Random(2, 5);
  const Prediction before = model.predict(X);
  EXPECT_THAT(refused(model, {3, 100, 250}), HasSubstr("never made: 100, 250"));
  EXPECT_THAT(refused(model, {3, 5, 3}), HasSubstr("more than once: 3"));
  EXPECT_THAT(refused(model, {4, 17}), HasSubstr("forgotten already: 17"));
  EXPECT_THROW(model.forget_before(101), InvalidArgument);
  EXPECT_EQ(model.n_observations(), 99u);
  EXPECT_EQ(model.n_seen(), 100u);
  const Prediction after = model.predict(X);
  EXPECT_EQ(before.mean, after.mean);
  EXPECT_EQ(before.variance, after.variance);
}

TEST(ForgetEverything, LeavesAModelThatStartsAgain) {
  SplittingGp model = learned(small(), 200);
  EXPECT_EQ(model.forget_before(200).forgotten, 200u);
  EXPECT_EQ(model.n_local(), 0);
  EXPECT_EQ(model.n_observations(), 0u);
  SplittingGp fresh(2, 1, small());
  const MatrixXd X = MatrixXd::Random(2, 5);
  EXPECT_EQ(model.predict(X).mean, fresh.predict(X).mean);
  EXPECT_EQ(model.input_statistics().mean, fresh.input_statistics().mean);
  const VectorXd x{{0.1, 0.2}};
  EXPECT_EQ(model.update(x, VectorXd::Constant(1, 1.0)).sequence, 200u);
  EXPECT_EQ(Invariants::violated(model), "");
}

// Also with factors that are built again when they are needed.
TEST(ForgetDormant, IsTheSameModel) {
  SplittingGp model = learned(small(), 600);
  SplittingGp sleepy = model;
  sleepy.set_factor_cache_limit(3);
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    std::vector<std::uint64_t> some = held(model);
    std::erase_if(some, [&](std::uint64_t) { return random.uniform(0.0, 1.0) > 0.05; });
    model.forget(some);
    sleepy.forget(some);
    for (int i = 0; i < 10; ++i) {
      const VectorXd x = VectorXd::NullaryExpr(2, [&] { return random.uniform(-1.0, 1.0); });
      model.update(x, VectorXd::Constant(1, x(0)));
      sleepy.update(x, VectorXd::Constant(1, x(0)));
    }
    ASSERT_EQ(Invariants::violated(sleepy), "");
  }
  const MatrixXd X = MatrixXd::Random(2, 20);
  EXPECT_LE((model.predict(X).mean - sleepy.predict(X).mean).cwiseAbs().maxCoeff(), 1e-8);
  const auto awake = [](const SplittingGp& of) {
    Index count = 0;
    for (const LocalGpSummary& local : of.local_gps()) count += local.awake ? 1 : 0;
    return count;
  };
  EXPECT_LE(awake(sleepy), 3);
}

}  // namespace
}  // namespace splitgp::forget_test
