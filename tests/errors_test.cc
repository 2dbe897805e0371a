// The caller's mistakes: each is named, and leaves no trace in the model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/fixed_theta.h"
#include "support/streams.h"

namespace splitgp::errors_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kInputs = 2;
constexpr Index kOutputs = 3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

Options small() {
  Options options = testing::fixed_theta();
  options.split_limit = 10;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(kInputs, 0.5);
  return options;
}

using Call = std::function<void(SplittingGp&)>;

struct Mistake {
  std::string name;
  Call call;
  std::vector<std::string> named;  // what the message must contain
};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

void expect_named(const std::string& message, const std::vector<std::string>& named) {
  for (const std::string& part : named) EXPECT_THAT(message, ::testing::HasSubstr(part));
}

// Mistakes of one value: x, y or noise at one row of a batch, or in a single update.
std::vector<Mistake> bad_values() {
  std::vector<Mistake> mistakes;
  const std::vector<std::pair<double, std::string>> values{{kNan, "nan"},
                                                           {kInfinity, "inf"},
                                                           {-kInfinity, "-inf"},
                                                           {1e151, "1e+151"},
                                                           {-2e200, "-2e+200"}};
  for (const auto& [bad, shown] : values) {
    const double value = bad;
    MatrixXd X = MatrixXd::Constant(kInputs, 5, 0.1);
    MatrixXd Y = MatrixXd::Constant(kOutputs, 5, 0.2);
    const MatrixXd good_X = X;
    const MatrixXd good_Y = Y;
    X(1, 3) = value;
    Y(2, 4) = value;
    // Rows before the bad one are good: they must not be learned either.
    mistakes.push_back({"x in a batch",
                        [=](SplittingGp& model) { model.update_batch(X, good_Y); },
                        {"x[1]", "row 3", " " + shown + ";"}});
    mistakes.push_back({"y in a batch",
                        [=](SplittingGp& model) { model.update_batch(good_X, Y); },
                        {"y[2]", "row 4", " " + shown + ";"}});
    mistakes.push_back({"x",
                        [=](SplittingGp& model) { model.update(X.col(3), Y.col(0)); },
                        {"x[1]", " " + shown + ";"}});
    mistakes.push_back({"y",
                        [=](SplittingGp& model) { model.update(good_X.col(0), Y.col(4)); },
                        {"y[2]", " " + shown + ";"}});
    mistakes.push_back({"x of predict",
                        [=](SplittingGp& model) { model.predict(X); },
                        {"x[1]", "row 3", " " + shown + ";"}});
    mistakes.push_back({"x of explain",
                        [=](SplittingGp& model) { model.explain(X.col(3)); },
                        {"x[1]", " " + shown + ";"}});
    VectorXd noise = VectorXd::Zero(5);
    noise(2) = value;
    mistakes.push_back({"noise in a batch",
                        [=](SplittingGp& model) { model.update_batch(good_X, good_Y, noise); },
                        {"noise_variance", "row 2", " " + shown + ";"}});
    mistakes.push_back(
        {"noise",
         [=](SplittingGp& model) { model.update(good_X.col(0), good_Y.col(0), value); },
         {"noise_variance", " " + shown + ";"}});
  }
  mistakes.push_back({"negative noise",
                      [](SplittingGp& model) {
                        model.update(VectorXd::Zero(kInputs), VectorXd::Zero(kOutputs), -1e-300);
                      },
                      {"noise_variance", "-1e-300"}});
  return mistakes;
}

std::vector<Mistake> bad_shapes() {
  const auto zeros = [](Index rows, Index cols) { return MatrixXd(MatrixXd::Zero(rows, cols)); };
  std::vector<Mistake> mistakes;
  for (const Index width : {Index{0}, kInputs - 1, kInputs + 1}) {
    const std::string shown = std::to_string(width);
    mistakes.push_back(
        {"x too narrow or wide",
         [=](SplittingGp& model) { model.update(VectorXd::Zero(width), VectorXd::Zero(kOutputs)); },
         {"x has " + shown, "needs 2"}});
    mistakes.push_back(
        {"x of a batch",
         [=](SplittingGp& model) { model.update_batch(zeros(width, 4), zeros(kOutputs, 4)); },
         {"x has " + shown, "needs 2"}});
    mistakes.push_back({"x of predict",
                        [=](SplittingGp& model) { model.predict(zeros(width, 4)); },
                        {"x has " + shown, "needs 2"}});
    mistakes.push_back({"x of explain",
                        [=](SplittingGp& model) { model.explain(VectorXd::Zero(width)); },
                        {"x has " + shown, "needs 2"}});
  }
  mistakes.push_back(
      {"y too narrow",
       [](SplittingGp& model) { model.update(VectorXd::Zero(kInputs), VectorXd::Zero(2)); },
       {"y has 2", "needs 3"}});
  mistakes.push_back(
      {"y of a batch too wide",
       [=](SplittingGp& model) { model.update_batch(zeros(kInputs, 4), zeros(4, 4)); },
       {"y has 4", "needs 3"}});
  for (const Index rows : {0, 3, 5}) {
    mistakes.push_back(
        {"as many rows of y as of x",
         [=](SplittingGp& model) { model.update_batch(zeros(kInputs, 4), zeros(kOutputs, rows)); },
         {"y has " + std::to_string(rows), "x has 4"}});
  }
  for (const Index rows : {1, 3, 5}) {
    mistakes.push_back({"as many noises as rows",
                        [=](SplittingGp& model) {
                          model.update_batch(zeros(kInputs, 4), zeros(kOutputs, 4),
                                             VectorXd::Zero(rows));
                        },
                        {"noise_variance has " + std::to_string(rows), "needs 4"}});
  }
  return mistakes;
}

using Edit = std::function<void(Hyperparameters&)>;

struct BadTheta {
  Edit edit;
  std::vector<std::string> named;
};

std::vector<BadTheta> bad_thetas() {
  std::vector<BadTheta> bad{
      {[](auto& theta) { theta.length_scale = VectorXd::Ones(3); },
       {"length_scale has 3", "needs 2"}},
      {[](auto& theta) { theta.mean = VectorXd::Zero(1); }, {"mean has 1", "needs 3"}},
      {[](auto& theta) { theta.output_scale = VectorXd::Ones(4); },
       {"output_scale has 4", "needs 3"}},
      {[](auto& theta) { theta.noise_variance = -0.1; }, {"noise_variance is -0.1"}},
      {[](auto& theta) { theta.shape = 0.0; }, {"shape is 0"}},
      {[](auto& theta) {
         theta.mean = VectorXd{{0.0, 1e151, 0.0}};
       },
       {"mean[1] is 1e+151"}},
  };
  for (const auto& [bad_value, shown] : std::vector<std::pair<double, std::string>>{
           {kNan, "nan"}, {kInfinity, "inf"}, {-1.0, "-1"}, {0.0, "0"}}) {
    const double value = bad_value;
    bad.push_back({[=](auto& theta) {
                     theta.length_scale = VectorXd{{1.0, value}};
                   },
                   {"length_scale[1] is " + shown + ";"}});
    bad.push_back({[=](auto& theta) {
                     theta.output_scale = VectorXd{{1.0, 1.0, value}};
                   },
                   {"output_scale[2] is " + shown + ";"}});
    bad.push_back({[=](auto& theta) { theta.signal_variance = value; },
                   {"signal_variance is " + shown + ";"}});
  }
  for (const double value : {kNan, kInfinity}) {
    bad.push_back({[=](auto& theta) { theta.noise_variance = value; }, {"noise_variance is "}});
    bad.push_back({[=](auto& theta) { theta.shape = value; }, {"shape is "}});
    bad.push_back(
        {[=](auto& theta) { theta.mean = VectorXd::Constant(3, value); }, {"mean[0] is "}});
  }
  return bad;
}

// After each mistake the model must equal one that never saw it, to the last bit and byte, and so
// must everything it learns from then on.
void expect_harmless(const std::vector<Mistake>& mistakes, Index observations) {
  const testing::Stream stream = testing::smooth_stream(81, kInputs, kOutputs, observations + 40);
  testing::Random random(82);
  const MatrixXd queries = testing::uniform_inputs(random, kInputs, 60, 1.5);
  SplittingGp model(kInputs, kOutputs, small());
  SplittingGp innocent(kInputs, kOutputs, small());
  for (SplittingGp* each : {&model, &innocent}) {
    each->update_batch(stream.X.leftCols(observations), stream.Y.leftCols(observations));
  }
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.name);
    expect_named(message_of([&] { mistake.call(model); }), mistake.named);
    testing::expect_same_bits(model, innocent, queries);
    EXPECT_EQ(model.memory_bytes(), innocent.memory_bytes());
  }
  for (Index i = observations; i < stream.X.cols(); ++i) {
    model.update(stream.X.col(i), stream.Y.col(i));
    innocent.update(stream.X.col(i), stream.Y.col(i));
  }
  testing::expect_same_bits(model, innocent, queries);
  EXPECT_EQ(model.memory_bytes(), innocent.memory_bytes());
}

TEST(Errors, BadValuesAreNamedAndHarmless) {
  expect_harmless(bad_values(), 50);
  expect_harmless(bad_values(), 0);
}

TEST(Errors, BadShapesAreNamedAndHarmless) {
  expect_harmless(bad_shapes(), 50);
  expect_harmless(bad_shapes(), 0);
}

TEST(Errors, BadThetasAreNamedAndHarmless) {
  std::vector<Mistake> mistakes;
  for (const BadTheta& bad : bad_thetas()) {
    mistakes.push_back({"set_hyperparameters",
                        [=](SplittingGp& model) {
                          Hyperparameters theta = model.hyperparameters();
                          bad.edit(theta);
                          model.set_hyperparameters(theta);
                        },
                        bad.named});
  }
  expect_harmless(mistakes, 50);
}

TEST(Errors, ConstructorRefusesBadThetas) {
  for (const BadTheta& bad : bad_thetas()) {
    Options options = small();
    bad.edit(*options.hyperparameters);
    expect_named(message_of([&] { SplittingGp(kInputs, kOutputs, options); }), bad.named);
  }
}

TEST(Errors, ConstructorRefusesBadOptions) {
  const std::vector<std::pair<std::function<void(Options&)>, std::string>> mistakes{
      {[](Options& options) { options.split_limit = 0; }, "split_limit is 0"},
      {[](Options& options) { options.split_limit = -5; }, "split_limit is -5"},
      {[](Options& options) { options.neighbors = -1; }, "neighbors is -1"},
      {[](Options& options) { options.threads = 0; }, "threads is 0"},
      {[](Options& options) { options.threads = -2; }, "threads is -2"},
  };
  for (const auto& [edit, named] : mistakes) {
    Options options;
    edit(options);
    expect_named(message_of([&] { SplittingGp(kInputs, kOutputs, options); }), {named});
  }
  expect_named(message_of([] { SplittingGp(0, 1); }), {"inputs is 0"});
  expect_named(message_of([] { SplittingGp(1, -1); }), {"outputs is -1"});
}

// The largest values that are allowed are not mistakes.
TEST(Errors, LargestValuesAreAccepted) {
  SplittingGp model(kInputs, kOutputs, small());
  model.update(VectorXd::Constant(kInputs, 1e150), VectorXd::Constant(kOutputs, -1e150), 1e150);
  model.update(VectorXd::Constant(kInputs, -1e150), VectorXd::Constant(kOutputs, 1e150), 0.0);
  EXPECT_EQ(model.n_observations(), 2U);
  EXPECT_TRUE(model.predict(VectorXd::Constant(kInputs, 1e150)).mean.allFinite());
}

}  // namespace
}  // namespace splitgp::errors_test
