// Each query is answered for its own time: alone as in a batch, in any order.

#include "splitgp/ahead.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <string>

#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/streams.h"

namespace splitgp::ahead_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SplittingGp learned_model() {
  const testing::Stream stream = testing::smooth_stream(3, 2, 1, 150);
  SplittingGp model(2, 1);
  model.update_batch(stream.X, stream.Y);
  return model;
}

MatrixXd some_inputs() {
  testing::Random random(4);
  return testing::uniform_inputs(random, 2, 5, 1.0);
}

TEST(Ahead, TheNextRowIsTheDefault) {
  const SplittingGp model = learned_model();
  const MatrixXd X = some_inputs();
  testing::expect_same_bits(model.predict(X), model.predict(X, 1));
  testing::expect_same_bits(model.predict(X), model.predict(X, VectorXd(VectorXd::Ones(5))));
}

TEST(Ahead, AQueryIsAnsweredForItsOwnTime) {
  const SplittingGp model = learned_model();
  const MatrixXd X = some_inputs();
  const VectorXd ahead{{1.0, 7.0, Ahead::kUnknown, 2.0, 1e9}};
  const PredictionGradient all = model.predict_gradient(X, ahead);
  for (Index i = 0; i < X.cols(); ++i) {
    const PredictionGradient one = model.predict_gradient(X.col(i), ahead(i));
    EXPECT_TRUE(testing::same_bits(all.mean.col(i), one.mean));
    EXPECT_TRUE(testing::same_bits(all.variance.col(i), one.variance));
    EXPECT_TRUE(testing::same_bits(all.noise_variance.col(i), one.noise_variance));
    EXPECT_TRUE(testing::same_bits(all.mean_gradient.col(i), one.mean_gradient));
  }
}

std::string error_of(const SplittingGp& model, const Ahead& ahead) {
  try {
    model.predict(some_inputs(), ahead);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(Ahead, WhatIsPastOrTooShortIsRejected) {
  const SplittingGp model = learned_model();
  EXPECT_EQ(error_of(model, 0),
            "ahead is 0; it must be at least 1, or not a number for an unknown time");
  EXPECT_EQ(error_of(model, VectorXd{{1.0, 1.0, 0.5, 1.0, 1.0}}),
            "ahead of query 2 is 0.5; it must be at least 1, or not a number for an unknown time");
  EXPECT_EQ(error_of(model, VectorXd{{1.0, 1.0}}), "ahead has 2 values; there are 5 queries");
}

}  // namespace
}  // namespace splitgp::ahead_test
