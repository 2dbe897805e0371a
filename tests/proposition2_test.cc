// Proposition 2 of the paper: predictions are continuous, across the cells of local GPs too.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "splitgp/splitting_gp.h"
#include "support/fixed_theta.h"
#include "support/sanitized.h"
#include "support/streams.h"

namespace splitgp::proposition2_test {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kInputs = 2;
constexpr int kNeighbors = 4;
constexpr int kLines = testing::kSanitized ? 20 : 200;
constexpr double kStep = 1e-7;
constexpr double kLengthScale = 0.4;

// The data rise by about 1 in a length scale and the weights turn over within a cell, about half a
// length scale wide: slopes of some 10 are to be expected (measured: below 15 on this and larger
// streams), and 100 leaves room. A jump of J is a slope of J / 1e-7, so even 1e-5 is caught; the
// rules that do jump, jump by 0.02 to 0.8.
constexpr double kLipschitz = 100.0;

Options options_of(Aggregation aggregation, int neighbors, bool taper) {
  Options options = testing::fixed_theta();
  options.split_limit = 12;
  options.comparison.aggregation = aggregation;
  options.neighbors = neighbors;
  options.comparison.taper = taper;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(kInputs, kLengthScale);
  return options;
}

SplittingGp model_of(const Options& options) {
  SplittingGp model(kInputs, 1, options);
  const testing::Stream stream = testing::smooth_stream(31, kInputs, 1, 300);
  model.update_batch(stream.X, stream.Y);
  return model;
}

// The local GPs whose order a rule may depend on, most similar first: a step over which this
// changes crosses the border of a cell. Found from the centers alone, so that the model does not
// decide where to look.
std::vector<Index> cell(const MatrixXd& centers, const VectorXd& x) {
  const VectorXd distance = (centers.colwise() - x).colwise().squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(distance.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::partial_sort(order.begin(), order.begin() + kNeighbors + 1, order.end(),
                    [&](Index a, Index b) { return distance(a) < distance(b); });
  order.resize(kNeighbors + 1);
  return order;
}

// The first points of steps along one line: over the borders of cells, found by bisection, and at
// regular places between.
std::vector<double> places_on_line(const MatrixXd& centers, const VectorXd& start,
                                   const VectorXd& direction, Index& borders) {
  constexpr int kIntervals = 32;
  constexpr double kLength = 2.0;
  std::vector<double> places;
  const auto cell_at = [&](double t) { return cell(centers, start + t * direction); };
  for (int i = 0; i < kIntervals; ++i) {
    double low = kLength * i / kIntervals;
    double high = kLength * (i + 1) / kIntervals;
    places.push_back(low);
    const std::vector<Index> cell_low = cell_at(low);
    if (cell_at(high) == cell_low) continue;
    while (high - low > 0.5 * kStep) {
      const double middle = 0.5 * (low + high);
      (cell_at(middle) == cell_low ? low : high) = middle;
    }
    places.push_back(0.5 * (low + high) - 0.5 * kStep);
    ++borders;
  }
  return places;
}

struct Steepest {
  double mean = 0.0;
  double variance = 0.0;
};

// The largest change over a step of 1e-7, divided by the step, on many lines through the data.
Steepest steepest_step(const SplittingGp& model) {
  MatrixXd centers(kInputs, model.n_local());
  for (const LocalGpSummary& local : model.local_gps()) centers.col(local.local_gp) = local.center;
  testing::Random random(32);
  Steepest steepest;
  Index borders = 0;
  for (int line = 0; line < kLines; ++line) {
    const VectorXd direction = random.normal_matrix(kInputs, 1).col(0).normalized();
    const VectorXd middle = testing::uniform_inputs(random, kInputs, 1, 0.5).col(0);
    const VectorXd start = middle - direction;
    const std::vector<double> places = places_on_line(centers, start, direction, borders);
    MatrixXd from(kInputs, std::ssize(places));
    for (std::size_t i = 0; i < places.size(); ++i) {
      from.col(static_cast<Index>(i)) = start + places[i] * direction;
    }
    const Prediction here = model.predict(from);
    const Prediction there = model.predict(from.colwise() + kStep * direction);
    steepest.mean = std::max(steepest.mean, (there.mean - here.mean).cwiseAbs().maxCoeff() / kStep);
    steepest.variance =
        std::max(steepest.variance, (there.variance - here.variance).cwiseAbs().maxCoeff() / kStep);
  }
  EXPECT_GE(borders, 20 * kLines) << "the lines cross too few cells to show anything";
  std::printf("steepest step over %td borders: mean %.3g, variance %.3g\n", borders, steepest.mean,
              steepest.variance);
  ::testing::Test::RecordProperty("steepest_mean", std::to_string(steepest.mean));
  ::testing::Test::RecordProperty("steepest_variance", std::to_string(steepest.variance));
  return steepest;
}

void expect_continuous(const Options& options) {
  const Steepest steepest = steepest_step(model_of(options));
  EXPECT_LE(steepest.mean, kLipschitz);
  EXPECT_LE(steepest.variance, kLipschitz);
}

void expect_jumps(const Options& options) {
  const Steepest steepest = steepest_step(model_of(options));
  EXPECT_GE(steepest.mean, 1000.0 * kLipschitz);
  EXPECT_GE(steepest.variance, 1000.0 * kLipschitz);
}

TEST(Proposition2, EvidenceWithTaperIsContinuous) {
  expect_continuous(options_of(Aggregation::evidence, kNeighbors, true));
}

TEST(Proposition2, SimilarityOfAllIsContinuous) {
  expect_continuous(options_of(Aggregation::similarity, 0, true));
}

TEST(Proposition2, SimilarityWithTaperIsContinuous) {
  expect_continuous(options_of(Aggregation::similarity, kNeighbors, true));
}

TEST(Proposition2, EvidenceWithoutTaperJumps) {
  expect_jumps(options_of(Aggregation::evidence, kNeighbors, false));
}

TEST(Proposition2, SimilarityWithoutTaperJumps) {
  expect_jumps(options_of(Aggregation::similarity, kNeighbors, false));
}

TEST(Proposition2, NearestJumps) {
  expect_jumps(options_of(Aggregation::nearest, kNeighbors, true));
}

}  // namespace
}  // namespace splitgp::proposition2_test
