#include <gtest/gtest.h>

#include "splitgp/splitting_gp.h"
#include "support/streams.h"

namespace splitgp {
namespace {

TEST(SetThreads, ChangesNoPrediction) {
  const testing::Stream stream = testing::smooth_stream(3, 2, 1, 120);
  Options options;
  options.split_limit = 30;
  options.training = Training::off;
  SplittingGp model(2, 1, options);
  model.update_batch(stream.X, stream.Y);
  const Prediction alone = model.predict(stream.X);
  model.set_threads(3);
  EXPECT_EQ(model.options().threads, 3);
  const Prediction together = model.predict(stream.X);
  EXPECT_EQ(alone.mean, together.mean);
  EXPECT_EQ(alone.variance, together.variance);
}

TEST(SetThreads, RefusesNone) {
  SplittingGp model(1, 1);
  EXPECT_THROW(model.set_threads(0), InvalidArgument);
  EXPECT_EQ(model.options().threads, 1);
}

}  // namespace
}  // namespace splitgp
