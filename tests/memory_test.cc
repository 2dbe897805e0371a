// The model's memory against the bare minimum: points (x, y, own noise, number), packed factors and
// z = L⁻¹y.
#include <gtest/gtest.h>

#include "core/api/internals.h"
#include "splitgp/splitting_gp.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp {
namespace {

using Eigen::Index;

double bytes_needed(const SplittingGp& model) {
  double doubles = 0.0;
  for (const LocalGp& local : Internals::of(model).partition.local_gps) {
    const auto n = static_cast<double>(local.size());
    const auto d = static_cast<double>(model.n_inputs());
    const auto p = static_cast<double>(model.n_outputs());
    doubles += n * (n + 1.0) / 2.0 + n * (d + p + 2.0) + n * p;
  }
  return doubles * sizeof(double);
}

class Memory : public ::testing::TestWithParam<int> {};

TEST_P(Memory, IsCloseToWhatMustBeKept) {
  Options options;
  options.split_limit = GetParam();
  options.training = Training::off;
  const Index rows = (testing::kSanitized ? 15 : 60) * Index{GetParam()};
  const testing::Stream stream = testing::smooth_stream(3, 4, 1, rows);
  SplittingGp model(4, 1, options);
  model.update_batch(stream.X, stream.Y);
  const double ratio = static_cast<double>(model.memory_bytes()) / bytes_needed(model);
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_LT(ratio, 1.2);
}

INSTANTIATE_TEST_SUITE_P(SplitLimits, Memory, ::testing::Values(64, 100, 250));

// With few factors kept, the answers are the same up to rounding, and the points are what is left.
TEST(FactorCacheLimit, ChangesMemoryAndNothingElse) {
  Options options;
  options.split_limit = testing::kSanitized ? 60 : 100;
  options.capacity = testing::kSanitized ? 78 : 130;
  options.training = Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(4, 0.7);
  options.hyperparameters->noise_variance = 0.01;
  const testing::Stream stream = testing::smooth_stream(5, 4, 1, testing::kSanitized ? 1500 : 4000);
  SplittingGp all(4, 1, options);
  SplittingGp few(4, 1, options);
  few.set_factor_cache_limit(10);
  for (Index i = 0; i < stream.X.cols(); ++i) {
    const auto x = stream.X.col(i);
    if (i % 7 == 0) {
      few.wake(x);
      const Prediction expected = all.predict(x);
      const Prediction prediction = few.predict(x);
      ASSERT_NEAR(prediction.mean(0), expected.mean(0), 1e-9) << i;
      ASSERT_NEAR(prediction.variance(0), expected.variance(0), 1e-9) << i;
    }
    all.update(x, stream.Y.col(i));
    few.update(x, stream.Y.col(i));
    Index awake = 0;
    for (const LocalGp& local : Internals::of(few).partition.local_gps)
      awake += local.dormant() ? 0 : 1;
    ASSERT_LE(awake, 10) << i;
  }
  ASSERT_EQ(few.n_local(), all.n_local());
  EXPECT_LT(static_cast<double>(few.memory_bytes()), 0.5 * static_cast<double>(all.memory_bytes()));
  few.set_factor_cache_limit(0);
  few.wake();
  EXPECT_NEAR(static_cast<double>(few.memory_bytes()), static_cast<double>(all.memory_bytes()),
              0.1 * static_cast<double>(all.memory_bytes()));
  EXPECT_THROW(few.set_factor_cache_limit(-1), InvalidArgument);
}

}  // namespace
}  // namespace splitgp
