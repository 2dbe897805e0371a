#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <vector>

#include "rivals/rivals.h"
#include "support/full_gp.h"
#include "support/reference_kernel.h"
#include "support/rival.h"
#include "support/streams.h"

namespace splitgp::rivals {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using splitgp::testing::reference_kernel;
using splitgp::testing::rival_theta;
using splitgp::testing::smooth_stream;
using splitgp::testing::Stream;
using splitgp::testing::untrained;

// The paper's two algorithms with lists of points, dense GPs and nothing else.
struct Reference {
  Hyperparameters theta;
  double threshold;
  std::size_t neighbors;
  std::size_t most;
  std::vector<std::vector<Index>> models;

  double similarity(const VectorXd& a, const VectorXd& b) const {
    return static_cast<double>(reference_kernel(theta, a, b)) / theta.signal_variance;
  }
  VectorXd center(const std::vector<Index>& model, const MatrixXd& X) const {
    return X(Eigen::all, model).rowwise().mean();
  }
  void learn(const MatrixXd& X) {
    for (Index i = 0; i < X.cols(); ++i) {
      std::size_t best = models.size();
      double most_similar = -1.0;
      for (std::size_t k = 0; k < models.size(); ++k) {
        const double w = similarity(X.col(i), center(models[k], X));
        if (w > most_similar) {
          most_similar = w;
          best = k;
        }
      }
      if (most_similar < threshold) best = models.size();
      if (best == models.size()) models.emplace_back();
      models[best].push_back(i);
      if (most > 0 && models[best].size() > most) models[best].erase(models[best].begin());
    }
  }
  Prediction predict(const Stream& stream, const MatrixXd& queries) const {
    Prediction result;
    result.mean.resize(stream.Y.rows(), queries.cols());
    result.variance.resize(stream.Y.rows(), queries.cols());
    for (Index q = 0; q < queries.cols(); ++q) {
      std::vector<double> w;
      std::vector<std::size_t> order(models.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      for (const auto& model : models)
        w.push_back(similarity(queries.col(q), center(model, stream.X)));
      std::sort(order.begin(), order.end(), [&](auto a, auto b) { return w[a] > w[b]; });
      if (neighbors > 0 && order.size() > neighbors) order.resize(neighbors);
      double total = 0.0;
      for (const std::size_t k : order) total += w[k];
      std::vector<Prediction> local;
      VectorXd mean = VectorXd::Zero(stream.Y.rows());
      for (const std::size_t k : order) {
        const MatrixXd X = stream.X(Eigen::all, models[k]);
        const MatrixXd Y = stream.Y(Eigen::all, models[k]);
        local.push_back(splitgp::testing::FullGp(theta, X, Y, VectorXd::Zero(X.cols()))
                            .predict(queries.col(q)));
        mean += w[k] / total * local.back().mean.col(0);
      }
      VectorXd variance = VectorXd::Zero(stream.Y.rows());
      for (std::size_t j = 0; j < order.size(); ++j) {
        variance += w[order[j]] / total *
                    (local[j].variance.col(0) + (local[j].mean.col(0) - mean).cwiseAbs2());
      }
      result.mean.col(q) = mean;
      result.variance.col(q) = variance;
    }
    return result;
  }
};

TEST(LocalGpRegression, IsThePapersAlgorithms) {
  const Hyperparameters theta = rival_theta(2);
  const Stream stream = smooth_stream(1, 2, 2, 150);
  const MatrixXd queries = smooth_stream(2, 2, 1, 30).X;
  for (const int most : {0, 12}) {
    for (const int neighbors : {0, 1, 3}) {
      LocalGpRegressionOptions options = untrained<LocalGpRegressionOptions>(theta);
      options.generate_threshold = 0.5;
      options.neighbors = neighbors;
      options.most_observations = most;
      LocalGpRegression gp(2, 2, options);
      gp.update_batch(stream.X, stream.Y);
      Reference reference{
          theta, 0.5, static_cast<std::size_t>(neighbors), static_cast<std::size_t>(most), {}};
      reference.learn(stream.X);
      ASSERT_EQ(gp.n_local(), std::ssize(reference.models));
      EXPECT_GT(gp.n_local(), 3);
      const Prediction expected = reference.predict(stream, queries);
      const Prediction p = gp.predict(queries);
      EXPECT_LT((p.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((p.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

TEST(LocalGpRegression, ANewThetaMakesThePartitionItWouldHaveMade) {
  const Stream stream = smooth_stream(3, 2, 2, 150);
  LocalGpRegressionOptions options = untrained<LocalGpRegressionOptions>({});
  options.generate_threshold = 0.5;
  LocalGpRegression gp(2, 2, options);
  gp.update_batch(stream.X, stream.Y);
  Hyperparameters theta = rival_theta(2);
  gp.set_hyperparameters(theta);
  Reference reference{theta, 0.5, 8, 0, {}};
  reference.learn(stream.X);
  ASSERT_EQ(gp.n_local(), std::ssize(reference.models));
  const Prediction expected = reference.predict(stream, stream.X.leftCols(20));
  EXPECT_LT((gp.predict(stream.X.leftCols(20)).mean - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LocalGpRegression, FarAwayTheAnswerIsThePrior) {
  const Stream stream = smooth_stream(4, 2, 2, 50);
  LocalGpRegression gp(2, 2, untrained<LocalGpRegressionOptions>(rival_theta(2)));
  gp.update_batch(stream.X, stream.Y);
  const Prediction p = gp.predict(Eigen::Vector2d(1e100, 0.0));
  EXPECT_NEAR(p.mean(1, 0), -5.0, 1e-12);
  EXPECT_NEAR(p.variance(0, 0), 1.7, 1e-12);
}

}  // namespace
}  // namespace splitgp::rivals
