// The derivatives of predictions are exact: they agree with differences of predictions.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/api/internals.h"
#include "core/predict/predict.h"
#include "splitgp/splitting_gp.h"
#include "support/bits.h"
#include "support/fixed_theta.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp::predict_gradient_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::Random;
using testing::same_bits;

constexpr Index kInputs = 3;
constexpr Index kOutputs = 2;
constexpr int kPoints = testing::kSanitized ? 4 : 25;
const VectorXd kLengthScale{{0.5, 0.8, 1.1}};
const VectorXd kOutputScale{{1.0, 50.0}};

struct Case {
  std::string name;
  Options options;
  bool theta_on_its_way = false;  // local GPs have different θ
  double ahead = 1.0;
};

Options plain_options() {
  Options options = testing::fixed_theta();
  options.split_limit = 20;
  options.capacity = 60;
  Hyperparameters& theta = options.hyperparameters.emplace();
  theta.length_scale = kLengthScale;
  theta.output_scale = kOutputScale;
  theta.mean = VectorXd{{1.0, -30.0}};
  theta.noise_variance = 0.02;
  return options;
}

Options with_trend(double reach) {
  Options options = plain_options();
  options.hyperparameters->trend_slope = VectorXd{{0.3, -0.5, 0.2, 20.0, 5.0, -10.0}};
  options.hyperparameters->trend_origin = VectorXd{{0.1, -0.2, 0.3}};
  options.hyperparameters->trend_reach = reach;
  return options;
}

// The trend of some inputs ends among the queries.
Options with_short_trend() {
  Options options = with_trend(0.1);
  options.hyperparameters->trend_range = VectorXd{{0.4, 1e150, 0.7}};
  return options;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const KernelFamily kernel :
       {KernelFamily::rbf, KernelFamily::matern12, KernelFamily::matern32, KernelFamily::matern52,
        KernelFamily::rational_quadratic}) {
    all.push_back({std::string(to_string(kernel)), plain_options()});
    all.back().options.kernel = kernel;
    all.push_back({"similarity, " + all.back().name, all.back().options});
    all.back().options.comparison.aggregation = Aggregation::similarity;
  }
  const auto add = [&](const char* name, const auto& change) {
    all.push_back({name, plain_options()});
    change(all.back().options);
  };
  add("nearest", [](Options& o) { o.comparison.aggregation = Aggregation::nearest; });
  add("no taper", [](Options& o) { o.comparison.taper = false; });
  add("all local GPs", [](Options& o) { o.neighbors = 0; });
  add("no calibration", [](Options& o) { o.calibration = Calibration::none; });
  add("conformal", [](Options& o) { o.calibration = Calibration::conformal; });
  add("one neighbor", [](Options& o) { o.neighbors = 1; });
  add("trend", [](Options& o) { o = with_trend(0.0); });
  add("trend to fall back to", [](Options& o) { o = with_trend(0.1); });
  add("trend, no calibration", [](Options& o) {
    o = with_trend(0.1);
    o.calibration = Calibration::none;
  });
  add("trend that ends", [](Options& o) { o = with_short_trend(); });
  all.push_back({"theta on its way", plain_options(), true});
  all.push_back({"trend, theta on its way", with_trend(0.1), true});
  all.push_back({"later", plain_options(), false, 20.0});
  all.push_back({"unknown time", plain_options(), false, Ahead::kUnknown});
  all.push_back({"unknown time, theta on its way", plain_options(), true, Ahead::kUnknown});
  return all;
}

SplittingGp learned_model(const Case& which, Index n = testing::kSanitized ? 120 : 300) {
  testing::Stream stream = testing::smooth_stream(7, kInputs, kOutputs, n);
  stream.Y.row(1) = stream.Y.row(1) * 50.0;
  SplittingGp model(kInputs, kOutputs, which.options);
  model.update_batch(stream.X, stream.Y);
  if (which.theta_on_its_way) {
    Hyperparameters theta = model.hyperparameters();
    theta.length_scale = 1.2 * kLengthScale;
    theta.mean = VectorXd{{0.5, -10.0}};
    theta.signal_variance = 1.5;
    model.set_hyperparameters(theta);
    model.refit(model.n_local() / 2);
  }
  return model;
}

// Who is asked at x, in any order, and who is the first that is not: where this changes, the
// prediction has a kink.
std::vector<Index> asked_at(const SplittingGp& model, const VectorXd& x) {
  const ModelState& state = Internals::of(model);
  const Index asked = n_asked(state);
  std::vector<Neighbor> neighbors;
  state.partition.centers.most_similar(state.knowledge.theta->kernel, x, asked + 1, neighbors);
  std::vector<Index> result;
  for (const Neighbor& neighbor : neighbors) result.push_back(neighbor.local_gp);
  std::sort(result.begin(), result.begin() + asked);
  return result;
}

// f(x + h e_k), … for the difference quotient of fourth order: with h of 1e-4 length scales its
// error is some 1e-9, for predictions that are exact to some 1e-14.
struct Differences {
  MatrixXd mean;  // outputs × inputs
  MatrixXd variance;
  MatrixXd noise_variance;
  bool smooth = true;  // the same local GPs are asked everywhere
};

Differences differences(const SplittingGp& model, const VectorXd& x, double step, double ahead) {
  Differences result{MatrixXd(kOutputs, kInputs), MatrixXd(kOutputs, kInputs),
                     MatrixXd(kOutputs, kInputs)};
  const std::vector<Index> asked = asked_at(model, x);
  for (Index k = 0; k < kInputs; ++k) {
    const double h = step * kLengthScale(k);
    MatrixXd around = x.replicate(1, 4);
    for (const auto& [column, steps] : {std::pair{0, -2.0}, {1, -1.0}, {2, 1.0}, {3, 2.0}}) {
      around(k, column) += steps * h;
      if (asked_at(model, around.col(column)) != asked) result.smooth = false;
    }
    const Prediction p = model.predict(around, ahead);
    const auto slope = [h](const auto& f) {
      return (8.0 * (f.col(2) - f.col(1)) - (f.col(3) - f.col(0))) / (12.0 * h);
    };
    result.mean.col(k) = slope(p.mean);
    result.variance.col(k) = slope(p.variance);
    result.noise_variance.col(k) = slope(p.noise_variance);
  }
  return result;
}

// In length scales and output scales; relative to the largest derivative at this point, or to
// `floor` where they are all smaller.
void expect_equal(const Eigen::Ref<const VectorXd>& gradient, const MatrixXd& expected, int power,
                  double floor) {
  for (Index o = 0; o < kOutputs; ++o) {
    const VectorXd g = gradient.segment(o * kInputs, kInputs).cwiseProduct(kLengthScale) /
                       std::pow(kOutputScale(o), power);
    const VectorXd e =
        expected.row(o).transpose().cwiseProduct(kLengthScale) / std::pow(kOutputScale(o), power);
    const double scale = std::max(e.cwiseAbs().maxCoeff(), floor);
    EXPECT_LE((g - e).cwiseAbs().maxCoeff(), 1e-6 * scale)
        << (power == 1 ? "mean" : "variance") << " of output " << o << ": " << g.transpose()
        << ", by differences " << e.transpose();
  }
}

// Returns how many points could be compared.
int expect_differences(const SplittingGp& model, const MatrixXd& X, double step, double floor,
                       double ahead) {
  const PredictionGradient result = model.predict_gradient(X, ahead);
  int compared = 0;
  for (Index i = 0; i < X.cols(); ++i) {
    const Differences expected = differences(model, X.col(i), step, ahead);
    if (!expected.smooth) continue;
    SCOPED_TRACE(::testing::Message() << "at " << X.col(i).transpose());
    expect_equal(result.mean_gradient.col(i), expected.mean, 1, floor);
    expect_equal(result.variance_gradient.col(i), expected.variance, 2, floor);
    expect_equal(result.noise_variance_gradient.col(i), expected.noise_variance, 2, floor);
    ++compared;
  }
  return compared;
}

TEST(PredictGradient, EqualsDifferencesAtRandomPoints) {
  for (const Case& which : cases()) {
    SCOPED_TRACE(which.name);
    const SplittingGp model = learned_model(which);
    Random random(8);
    const MatrixXd X = testing::uniform_inputs(random, kInputs, kPoints, 1.2);
    EXPECT_GT(expect_differences(model, X, 1e-4, 1e-2, which.ahead), kPoints * 3 / 4);
  }
}

// A little to either side of where another local GP is asked.
TEST(PredictGradient, EqualsDifferencesNearBorders) {
  for (const Case& which : cases()) {
    SCOPED_TRACE(which.name);
    const SplittingGp model = learned_model(which);
    Random random(9);
    MatrixXd X(kInputs, 2 * kPoints);
    Index found = 0;
    for (int attempt = 0; attempt < 20 * kPoints && found < X.cols(); ++attempt) {
      VectorXd a = testing::uniform_inputs(random, kInputs, 1);
      VectorXd b = a + 0.3 * testing::uniform_inputs(random, kInputs, 1);
      const VectorXd direction = (b - a).normalized();
      if (asked_at(model, a) == asked_at(model, b)) continue;
      while ((b - a).norm() > 1e-9) {
        const VectorXd middle = 0.5 * (a + b);
        (asked_at(model, middle) == asked_at(model, a) ? a : b) = middle;
      }
      X.col(found++) = a - 1e-3 * direction;
      X.col(found++) = b + 1e-3 * direction;
    }
    // With all local GPs there are no borders.
    if (which.options.neighbors != 0) {
      EXPECT_EQ(found, X.cols());
    }
    EXPECT_GE(2 * expect_differences(model, X.leftCols(found), 1e-4, 1e-2, which.ahead), found);
  }
}

// Down to a thousandth of what is explained near the data, without a floor for the mean's sake.
TEST(PredictGradient, EqualsDifferencesFarFromTheData) {
  for (Case& which : cases()) {
    if (which.options.hyperparameters->trend_slope.size() > 0) continue;  // larger than the rest
    SCOPED_TRACE(which.name);
    which.options.hyperparameters->mean.setZero();
    const SplittingGp model = learned_model(which);
    Random random(10);
    MatrixXd X(kInputs, kPoints);
    for (Index i = 0; i < X.cols(); ++i) {
      X.col(i) = testing::uniform_inputs(random, kInputs, 1);
      X.col(i) *= random.uniform(2.0, 3.0) / X.col(i).cwiseAbs().maxCoeff();
    }
    EXPECT_GT(expect_differences(model, X, 1e-3, 1e-5, which.ahead), kPoints / 2);
  }
}

TEST(PredictGradient, IsThePriorsWhereNothingIsKnown) {
  for (const double reach : {0.0, 0.1}) {
    Case which{"trend", with_trend(reach)};
    which.options.experts = false;  // they would keep answers near the range seen
    const Vector& slope = which.options.hyperparameters->trend_slope;
    for (const Index n : {0, 300}) {
      const SplittingGp model = learned_model(which, n);
      for (const double far : {1e3, 1e8, 1e150}) {
        const PredictionGradient result = model.predict_gradient(VectorXd::Constant(kInputs, far));
        EXPECT_EQ(result.variance_gradient, MatrixXd::Zero(kOutputs * kInputs, 1)) << far;
        if (far < 1e9) {
          // A local GP that knows nothing still counts 1/(1 + reach⁻⁴) beside the trend.
          const double trend = n > 0 && reach > 0.0 ? 1.0 - 1.0 / 10001.0 : 1.0;
          EXPECT_LT((result.mean_gradient - trend * slope).norm(), 1e-12 * slope.norm()) << far;
        } else {
          // So far out the trend itself is held constant (core/kernel/prior_mean.h).
          EXPECT_EQ(result.mean_gradient, MatrixXd::Zero(kOutputs * kInputs, 1));
        }
      }
    }
  }
}

// Matérn 1/2 is not smooth where an observation lies; that one then has no part in the slope.
TEST(PredictGradient, IsZeroAtTheKinkOfMatern12) {
  Options options = plain_options();
  options.kernel = KernelFamily::matern12;
  SplittingGp model(kInputs, kOutputs, options);
  const VectorXd x{{0.1, 0.2, 0.3}};
  model.update(x, VectorXd{{3.0, 5.0}});
  const PredictionGradient result = model.predict_gradient(x);
  EXPECT_EQ(result.mean_gradient, MatrixXd::Zero(kOutputs * kInputs, 1));
  EXPECT_EQ(result.variance_gradient, MatrixXd::Zero(kOutputs * kInputs, 1));
}

// Offsets and units as raw data have them.
TEST(PredictGradient, KeepsItsDigitsUnderLargeOffsets) {
  const Case which{"plain", plain_options()};
  const SplittingGp model = learned_model(which);
  testing::Stream stream = testing::smooth_stream(7, kInputs, kOutputs, 300);
  stream.Y.row(1) = stream.Y.row(1) * 50.0;
  // Both are exact in binary, and so are the differences.
  const double offset = 0x1p20;
  const auto moved = [&](const MatrixXd& X) -> MatrixXd {
    return ((X.array() + offset).matrix().array() - offset).matrix();
  };
  SplittingGp near(kInputs, kOutputs, which.options);
  SplittingGp away(kInputs, kOutputs, which.options);
  const MatrixXd X = moved(stream.X);
  near.update_batch(X, stream.Y);
  away.update_batch((X.array() + offset).matrix(), stream.Y);
  const MatrixXd queries = moved(stream.X.leftCols(20).array() + 0.01);
  const PredictionGradient a = near.predict_gradient(queries);
  const PredictionGradient b = away.predict_gradient((queries.array() + offset).matrix());
  // Centers are means of inputs, and so rounded in the last digits of the offset.
  EXPECT_LT((a.mean_gradient - b.mean_gradient).norm(), 1e-7 * a.mean_gradient.norm());
  EXPECT_LT((a.variance_gradient - b.variance_gradient).norm(), 1e-7 * a.variance_gradient.norm());
}

TEST(PredictGradient, PredictsTheSameBitsAloneInABatchAndWithThreads) {
  for (const Case& which : cases()) {
    SCOPED_TRACE(which.name);
    SplittingGp model = learned_model(which);
    Random random(11);
    const MatrixXd X =
        testing::uniform_inputs(random, kInputs, testing::kSanitized ? 40 : 150, 1.3);
    const PredictionGradient batch = model.predict_gradient(X);
    testing::expect_same_bits(batch, model.predict(X));
    PredictionGradient one;
    for (Index i = 0; i < X.cols(); ++i) {
      model.predict_gradient(X.col(i), one);
      EXPECT_TRUE(same_bits(one.mean, batch.mean.col(i)));
      EXPECT_TRUE(same_bits(one.mean_gradient, batch.mean_gradient.col(i)));
      EXPECT_TRUE(same_bits(one.variance_gradient, batch.variance_gradient.col(i)));
      EXPECT_TRUE(same_bits(one.noise_variance_gradient, batch.noise_variance_gradient.col(i)));
    }
    model.set_threads(3);
    const PredictionGradient shared = model.predict_gradient(X);
    testing::expect_same_bits(shared, batch);
    EXPECT_TRUE(same_bits(shared.mean_gradient, batch.mean_gradient));
    EXPECT_TRUE(same_bits(shared.variance_gradient, batch.variance_gradient));
  }
}

// What is kept for derivatives is never out of date: a model that was asked all along answers as
// one that was not.
TEST(PredictGradient, AskingLeavesNoTrace) {
  Options options = plain_options();
  options.training = Training::inlined;
  options.hyperparameters.reset();
  if (testing::kSanitized) options.kernel = KernelFamily::rbf;  // instead of all in turn
  const testing::Stream stream = testing::smooth_stream(13, kInputs, kOutputs, 150);
  SplittingGp asked(kInputs, kOutputs, options);
  SplittingGp left_alone(kInputs, kOutputs, options);
  for (Index i = 0; i < stream.X.cols(); ++i) {
    asked.update(stream.X.col(i), stream.Y.col(i));
    left_alone.update(stream.X.col(i), stream.Y.col(i));
    if (i == 100) {
      asked.set_factor_cache_limit(2);
      left_alone.set_factor_cache_limit(2);
    }
    const PredictionGradient now = asked.predict_gradient(stream.X.leftCols(5));
    if (i % 20 != 0) continue;
    const PredictionGradient fresh = SplittingGp(left_alone).predict_gradient(stream.X.leftCols(5));
    testing::expect_same_bits(now, fresh);
    EXPECT_TRUE(same_bits(now.mean_gradient, fresh.mean_gradient)) << i;
    EXPECT_TRUE(same_bits(now.variance_gradient, fresh.variance_gradient)) << i;
  }
  EXPECT_GT(asked.training_history().size(), 1U);
  EXPECT_GT(asked.n_local(), 4);
}

TEST(PredictGradient, DormantLocalGpsAnswerToo) {
  SplittingGp model = learned_model({"trend", with_trend(0.1)});
  Random random(12);
  const MatrixXd X = testing::uniform_inputs(random, kInputs, 10);
  const PredictionGradient awake = model.predict_gradient(X);
  model.set_factor_cache_limit(1);
  const PredictionGradient dormant = model.predict_gradient(X);
  EXPECT_LT((awake.mean_gradient - dormant.mean_gradient).norm(),
            1e-9 * awake.mean_gradient.norm());
  EXPECT_LT((awake.variance_gradient - dormant.variance_gradient).norm(),
            1e-9 * awake.variance_gradient.norm());
}

TEST(PredictGradient, RejectsBadInputsAsPredictDoes) {
  const SplittingGp model = learned_model({"plain", plain_options()}, 10);
  EXPECT_THROW(model.predict_gradient(VectorXd::Zero(2)), InvalidArgument);
  EXPECT_THROW(model.predict_gradient(VectorXd::Constant(kInputs, std::nan(""))), InvalidArgument);
}

}  // namespace
}  // namespace splitgp::predict_gradient_test
