// What holds after every update, whatever the stream.

#include "support/invariants.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/hard_streams.h"
#include "support/random_matrix.h"
#include "support/sanitized.h"

namespace splitgp::invariants_test {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using testing::HardStream;
using testing::HardStreamSource;
using testing::Invariants;

// "" or what went wrong, and when.
std::string run(const HardStream& kind) {
  SplittingGp model(kind.inputs, kind.outputs, kind.options);
  HardStreamSource source(kind);
  for (Index i = 0; i < kind.observations; ++i) {
    if (kind.new_theta && i == kind.observations / 2) {
      Hyperparameters theta = model.hyperparameters();
      theta.length_scale = (3.0 * theta.length_scale).cwiseMin(1e150);
      theta.noise_variance = 0.0;
      model.set_hyperparameters(theta);
    }
    const HardStreamSource::Row row = source.next();
    const UpdateResult result = model.update(row.x, row.y, row.noise_variance);
    std::string wrong = Invariants::violated(model, result);
    if (wrong.empty()) wrong = Invariants::violated(model);
    if (wrong.empty()) wrong = testing::wrong_answer(model, source.queries());
    if (!wrong.empty()) return "after observation " + std::to_string(i) + ": " + wrong;
  }
  return "";
}

// Ten streams per case, a thousand in all (a quarter of them under a sanitizer).
RC_GTEST_PROP(SplittingGp, KeepsItsInvariantsOnHardStreams, ()) {
  for (const HardStream& kind :
       *rc::gen::container<std::vector<HardStream>>(10, testing::any_hard_stream())) {
    const std::string wrong = run(kind);
    if (!wrong.empty()) RC_FAIL(wrong);
  }
}

// A sensor at rest. Every split has to cut what no hyperplane can.
TEST(SplittingGp, LearnsOneInputWithoutLimit) {
  for (const bool inherit : {true, false}) {
    Options options = testing::fixed_theta();
    options.split_limit = 20;
    options.comparison.inherit = inherit;
    options.hyperparameters.emplace().noise_variance = 0.04;
    SplittingGp model(2, 1, options);
    testing::Random random(41);
    const VectorXd x{{0.3, -1e8}};
    constexpr Index kObservations = testing::kSanitized ? 2500 : 20000;
    for (Index i = 0; i < kObservations; ++i) {
      const UpdateResult result =
          model.update(x, VectorXd::Constant(1, 1.0 + 0.2 * random.normal()));
      ASSERT_EQ(Invariants::violated(model, result), "") << "after observation " << i;
      if (i % 2000 != 0) continue;
      ASSERT_EQ(Invariants::violated(model), "") << "after observation " << i;
    }
    EXPECT_EQ(Invariants::violated(model), "");
    // Halving m + 1 = 21 leaves at least 10 in each.
    EXPECT_LE(model.n_local(), kObservations / 10);
    EXPECT_EQ(testing::wrong_answer(model, x), "");
    // Each of eight local GPs averages at least 10 values of standard deviation 0.2 around 1; their
    // mean is off by 0.2/√10 ≈ 0.06 at worst if they agree, and 0.3 is five times that.
    EXPECT_NEAR(model.predict(x).mean(0, 0), 1.0, 0.3);
  }
}

// Without noise the matrices of smooth kernels have eigenvalues below rounding. What is learned
// must still not be noise: the owner of an observation has to reproduce it.
TEST(SplittingGp, NoiseFreeSmoothStreamsStayAccurate) {
  for (const KernelFamily kernel : {KernelFamily::rbf, KernelFamily::rational_quadratic}) {
    for (const double length_scale : {0.3, 1.0, 3.0}) {
      Options options = testing::fixed_theta();
      options.split_limit = 60;
      options.kernel = kernel;
      options.hyperparameters.emplace().noise_variance = 0.0;
      options.hyperparameters->length_scale = VectorXd::Constant(1, length_scale);
      SplittingGp model(1, 1, options);
      testing::Random random(42);
      double worst = 0.0;
      for (int i = 0; i < 300; ++i) {
        const VectorXd x = VectorXd::Constant(1, random.uniform(-2.0, 2.0));
        const VectorXd y = x.array().sin();
        const UpdateResult result = model.update(x, y);
        for (const LocalPrediction& local : model.explain(x).local) {
          if (local.local_gp != result.record.local_gp) continue;
          worst = std::max(worst, std::abs(local.mean(0) - y(0)));
        }
      }
      // The model raises noise to 1e-12 of the signal variance, a standard deviation of 1e-6, and
      // misses sin by about as much (measured: 7e-7 at worst).
      EXPECT_LE(worst, 1e-5) << to_string(kernel) << ", length scale " << length_scale;
    }
  }
}

}  // namespace
}  // namespace splitgp::invariants_test
