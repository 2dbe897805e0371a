// Whatever values a model may learn, its file can be read again: θ, trends, calibration, detectors.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "splitgp/model_file.h"
#include "support/sanitized.h"
#include "support/streams.h"
#include "support/temporary_directory.h"

namespace splitgp::model_file_scales_test {
namespace {

using Eigen::Index;

// Ordinary rows, then rows of quite another scale.
testing::Stream stream_of(double input_scale, double output_scale, Index outputs, Index n) {
  testing::Stream stream = testing::smooth_stream(1, 2, outputs, n);
  const Index half = n / 2;
  stream.X.rightCols(half) *= input_scale;
  stream.Y.rightCols(half) *= output_scale;
  stream.X = stream.X.cwiseMax(-1e150).cwiseMin(1e150);
  stream.Y = stream.Y.cwiseMax(-1e150).cwiseMin(1e150);
  return stream;
}

struct Case {
  const char* name;
  Index outputs;
  void (*change)(Options&);
};

const std::vector<Case> kCases{
    {"defaults", 1, [](Options&) {}},
    {"trend", 1, [](Options& o) { o.trend = Trend::linear; }},
    {"two outputs", 2, [](Options& o) { o.calibration = Calibration::conformal; }},
    {"forgetting", 1,
     [](Options& o) {
       o.max_observations = 100;
       o.on_drift = OnDrift::forget;
     }},
    {"outliers", 1, [](Options& o) { o.outliers = Outliers::reject; }},
};

class ModelFileScales : public ::testing::TestWithParam<Case> {};

TEST_P(ModelFileScales, WhatWasLearnedCanBeReadAgain) {
  const Index rows = testing::kSanitized ? 100 : 250;
  // Exponents of the scales of inputs and outputs.
  const std::vector<std::pair<int, int>> scales{{149, 149},   {150, -150}, {-150, 150}, {0, 150},
                                                {-150, -150}, {150, 0},    {100, -100}, {150, 150}};
  for (const auto& [x, y] : scales) {
    SCOPED_TRACE("inputs 1e" + std::to_string(x) + ", outputs 1e" + std::to_string(y));
    Options options;
    options.capacity = 40;
    options.training_observations = 60;
    if (testing::kSanitized) options.kernel = KernelFamily::matern32;
    GetParam().change(options);
    const testing::Stream stream =
        stream_of(std::pow(10.0, x), std::pow(10.0, y), GetParam().outputs, rows);
    const testing::TemporaryDirectory directory;
    const std::filesystem::path path = directory / "model.splitgp";
    {
      ModelFile file = ModelFile::create(path, SplittingGp(2, GetParam().outputs, options),
                                         {Durability::normal, {}, {}, {}});
      for (Index i = 0; i < rows; ++i) {
        file.model().update(stream.X.col(i), stream.Y.col(i));
        if (i % 53 == 0) file.checkpoint();
      }
      file.model().train();
      file.checkpoint();
    }
    ASSERT_NO_THROW(load(path).model.predict(stream.X));
    const PredictionGradient read = load(path).model.predict_gradient(stream.X);
    EXPECT_TRUE(Eigen::MatrixXd(read.mean).allFinite());
    EXPECT_TRUE(Eigen::MatrixXd(read.variance).allFinite());
    EXPECT_TRUE(Eigen::MatrixXd(read.mean_gradient).allFinite());
    EXPECT_TRUE(Eigen::MatrixXd(read.variance_gradient).allFinite());
    EXPECT_TRUE(Eigen::MatrixXd(read.noise_variance_gradient).allFinite());
  }
}

INSTANTIATE_TEST_SUITE_P(Options, ModelFileScales, ::testing::ValuesIn(kCases),
                         [](const auto& param) {
                           std::string name = param.param.name;
                           std::erase(name, ' ');
                           return name;
                         });

}  // namespace
}  // namespace splitgp::model_file_scales_test
