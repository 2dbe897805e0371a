#include "core/train/objective.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/api/internals.h"
#include "core/model/model_training.h"
#include "core/options/validate.h"
#include "core/train/fisher_information.h"
#include "splitgp/splitting_gp.h"
#include "support/reference_kernel.h"
#include "support/training.h"

namespace splitgp::objective_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;
using testing::small_training_set;

constexpr KernelFamily kFamilies[] = {KernelFamily::rbf, KernelFamily::matern12,
                                      KernelFamily::matern32, KernelFamily::matern52,
                                      KernelFamily::rational_quadratic};

VectorXd random_parameters(const Objective& objective, std::uint64_t seed) {
  Random random(seed);
  VectorXd parameters = objective.start(1.5, 0.05);
  for (Index i = 0; i < parameters.size(); ++i) parameters(i) += 0.4 * random.normal();
  return parameters;
}

// The largest difference between the gradient and central differences, over the gradient's size.
double gradient_error(Objective& objective, const VectorXd& at) {
  VectorXd gradient;
  objective.value(at, &gradient);
  constexpr double kStep =
      1e-5;  // error of the difference itself: step² ~ 1e-10 of the third derivative
  double worst = 0.0;
  for (Index i = 0; i < at.size(); ++i) {
    VectorXd up = at, down = at;
    up(i) += kStep;
    down(i) -= kStep;
    const double difference =
        (objective.value(up, nullptr) - objective.value(down, nullptr)) / (2.0 * kStep);
    worst = std::max(worst, std::abs(difference - gradient(i)));
  }
  return worst / gradient.cwiseAbs().maxCoeff();
}

// log p(new | given)
TEST(Objective, GivenObservationsAreConditionedOn) {
  TrainingSet set = small_training_set(3, 2, 12);
  set.blocks.resize(1);
  const TrainingSet::Block& all = set.blocks.front();
  set.regime = 9;
  set.observations = set.fresh(all);
  ASSERT_EQ(set.observations, all.inputs.rows() - 9);
  Objective objective(set, KernelFamily::matern52, complete({}, 3, 2), {});
  const VectorXd at = random_parameters(objective, 3);
  EXPECT_LT(gradient_error(objective, at), 1e-6);

  const TrainingSet::Block given{
      all.inputs.topRows(9), all.outputs.topRows(9), all.noise_variance.head(9), {}};
  LogLikelihood likelihood;
  const Hyperparameters theta = objective.theta(at);
  const double expected =
      likelihood.of(all, theta) - likelihood.of(given, theta) + objective.log_prior(at, nullptr);
  EXPECT_NEAR(objective.value(at, nullptr), expected / static_cast<double>(2 * set.observations),
              1e-12);
}

TEST(Objective, GradientMatchesDifferencesForEveryKernel) {
  for (const KernelFamily family : kFamilies) {
    for (const Index outputs : {1, 3}) {
      const TrainingSet set = small_training_set(3, outputs, 11);
      Objective objective(set, family, complete({}, 3, outputs), {});
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        EXPECT_LT(gradient_error(objective, random_parameters(objective, seed)), 1e-6)
            << to_string(family) << ", " << outputs << " outputs";
      }
    }
  }
}

// A training set drawn from a model that has split, whose local GPs borrow points too.
TEST(Objective, GradientMatchesDifferencesWithInheritedPoints) {
  Random random(5);
  Options options;
  options.split_limit = 12;
  options.training = Training::off;
  for (const bool inherit : {true, false}) {
    options.comparison.inherit = inherit;
    SplittingGp model(2, 1, options);
    model.update_batch(random.normal_matrix(2, 60), random.normal_matrix(1, 60));
    ASSERT_GT(model.n_local(), 2);
    const TrainingSet set = draw_training_set(Internals::of(model), 60, 1);
    for (const KernelFamily family : kFamilies) {
      Objective objective(set, family, complete({}, 2, 1), {});
      EXPECT_LT(gradient_error(objective, random_parameters(objective, 3)), 1e-6)
          << to_string(family);
    }
  }
}

TEST(Objective, GradientMatchesDifferencesWithMemory) {
  const TrainingSet set = small_training_set(2, 1, 3);
  Objective objective(set, KernelFamily::rbf, complete({}, 2, 1), {});
  objective.remember(objective.theta(random_parameters(objective, 1)), 0.3);
  EXPECT_LT(gradient_error(objective, random_parameters(objective, 2)), 1e-6);
}

// ½ tr(K⁻¹∂K_i K⁻¹∂K_j) with ∂K by central differences of the value's own K; for a mean 1ᵀK⁻¹1.
TEST(Objective, FisherInformationMatchesItsDefinition) {
  const TrainingSet set = small_training_set(2, 1, 4);
  const TrainingSet::Block& block = set.blocks.front();
  const Index n = block.inputs.rows();
  for (const KernelFamily family : kFamilies) {
    const ThetaParameters parameters(set, family, complete({}, 2, 1), {});
    const VectorXd at = parameters.start(1.5, 0.05);
    const auto covariance = [&](const VectorXd& where) {
      const Hyperparameters theta = parameters.theta(where);
      MatrixXd K(n, n);
      Kernel(theta).lower_triangle(block.inputs, K);
      K.triangularView<Eigen::StrictlyUpper>() = K.transpose();
      K.diagonal() += block.noise_variance;
      K.diagonal().array() += theta.noise_variance;
      return K;
    };
    const MatrixXd inverse = covariance(at).inverse();
    std::vector<MatrixXd> relative;
    for (Index i = 0; i < at.size(); ++i) {
      constexpr double kStep = 1e-5;
      VectorXd up = at, down = at;
      up(i) += kStep;
      down(i) -= kStep;
      relative.push_back(inverse * (covariance(up) - covariance(down)) / (2.0 * kStep));
    }
    const Hyperparameters theta = parameters.theta(at);
    const MatrixXd found =
        parameters.curvature(fisher_information(block, theta, set.length_scale_groups, n));
    for (Index i = 0; i < at.size(); ++i) {
      for (Index j = 0; j < at.size(); ++j) {
        double expected =
            0.5 *
            (relative[static_cast<std::size_t>(i)] * relative[static_cast<std::size_t>(j)]).trace();
        if (i == j && parameters.name(i).starts_with("mean"))
          expected = inverse.sum() * set.output_spread(0) * set.output_spread(0);
        EXPECT_NEAR(found(i, j), expected / static_cast<double>(n), 1e-6)
            << to_string(family) << ": " << parameters.name(i) << ", " << parameters.name(j);
      }
    }
  }
}

TEST(Objective, ThreadsChangeNothing) {
  Random random(8);
  TrainingSet set = small_training_set(2, 1, 3);
  for (TrainingSet::Block& block : set.blocks) {
    block.inputs = random.normal_matrix(180, 2);
    block.outputs = random.normal_matrix(180, 1);
    block.noise_variance = VectorXd::Zero(180);
  }
  Objective objective(set, KernelFamily::matern32, complete({}, 2, 1), {});
  const VectorXd at = objective.start(1.0, 0.1);
  VectorXd one, three;
  const double value = objective.value(at, &one);
  objective.use_threads(3);
  EXPECT_EQ(value, objective.value(at, &three));
  EXPECT_EQ(one, three);
}

// The value against log N(y | mean, K) written out with a dense LU. The value also contains the
// prior, so the difference of two values is compared, in which it cancels.
TEST(Objective, DifferencesOfValuesAreThoseOfTheLogLikelihood) {
  const TrainingSet set = small_training_set(2, 1, 9);
  const auto log_likelihood = [&](const Hyperparameters& theta) {
    double sum = 0.0;
    for (const TrainingSet::Block& block : set.blocks) {
      const Index n = block.inputs.rows();
      MatrixXd K(n, n);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) {
          K(i, j) = static_cast<double>(testing::reference_kernel(
              theta, block.inputs.row(i).transpose(), block.inputs.row(j).transpose()));
        }
        K(i, i) += theta.noise_variance + block.noise_variance(i);
      }
      const VectorXd r = block.outputs.col(0).array() - theta.mean(0);
      const Eigen::PartialPivLU<MatrixXd> lu(K);
      sum += -0.5 * r.dot(lu.solve(r)) - 0.5 * std::log(lu.determinant()) -
             0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
    }
    return sum;
  };
  for (const KernelFamily family : kFamilies) {
    Objective objective(set, family, complete({}, 2, 1), {});
    const VectorXd a = random_parameters(objective, 1);
    // Only the mean moves, and symmetrically about its prior's center: the prior stays the same.
    VectorXd b = a;
    b(b.size() - 1) = -a(a.size() - 1);
    const double expected = log_likelihood(objective.theta(a)) - log_likelihood(objective.theta(b));
    const double n = static_cast<double>(set.observations);
    EXPECT_NEAR(n * (objective.value(a, nullptr) - objective.value(b, nullptr)), expected,
                1e-9 * std::abs(expected) + 1e-9);
  }
}

TEST(Objective, ThetaAndParametersAreInverse) {
  const TrainingSet set = small_training_set(3, 2, 1);
  Objective objective(set, KernelFamily::matern32, complete({}, 3, 2), {});
  const VectorXd parameters = random_parameters(objective, 8);
  EXPECT_LT((objective.parameters(objective.theta(parameters)) - parameters).norm(), 1e-12);
}

TEST(Objective, UnitsDoNotMatter) {
  TrainingSet set = small_training_set(2, 1, 4);
  for (TrainingSet::Block& block : set.blocks) block.noise_variance.setZero();
  TrainingSet other = set;
  const double in = 1e6, out = 1e-4;
  for (TrainingSet::Block& block : other.blocks) {
    block.inputs.col(1) *= in;
    block.outputs *= out;
  }
  other.input_spread(1) *= in;
  other.output_mean *= out;
  other.output_spread *= out;
  Objective first(set, KernelFamily::rbf, complete({}, 2, 1), {});
  Objective second(other, KernelFamily::rbf, complete({}, 2, 1), {});
  const VectorXd parameters = random_parameters(first, 2);
  // log p(c·y) = log p(y) − log c
  EXPECT_NEAR(first.value(parameters, nullptr), second.value(parameters, nullptr) + std::log(out),
              1e-9);
}

TEST(Objective, FixedPartsAreNotParameters) {
  const TrainingSet set = small_training_set(3, 1, 1);
  Hyperparameters base = complete({}, 3, 1);
  base.noise_variance = 0.123;
  FixedHyperparameters fixed;
  fixed.noise_variance = true;
  fixed.mean = true;
  Objective objective(set, KernelFamily::rbf, base, fixed);
  EXPECT_EQ(objective.size(), 4);  // three length scales and the signal variance
  EXPECT_EQ(objective.theta(objective.start(1.0, 0.5)).noise_variance, 0.123);
  EXPECT_EQ(objective.name(2), "length_scale[2]");
}

TEST(Objective, SingularMatrixIsMinusInfinityWithoutGradient) {
  TrainingSet set = small_training_set(2, 1, 1);
  set.blocks.resize(1);
  set.blocks[0].inputs.setConstant(1.0);
  set.blocks[0].noise_variance.setConstant(-1.0);  // makes the matrix indefinite
  Objective objective(set, KernelFamily::rbf, complete({}, 2, 1), {});
  VectorXd gradient;
  EXPECT_EQ(objective.value(objective.start(1.0, 1e-8), &gradient),
            -std::numeric_limits<double>::infinity());
  EXPECT_EQ(gradient.norm(), 0.0);
}

}  // namespace
}  // namespace splitgp::objective_test
