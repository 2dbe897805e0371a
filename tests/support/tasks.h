#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "support/data.h"
#include "support/streams.h"

namespace splitgp::testing {

/// A stream to learn and points to predict at; observations are columns.
struct Task {
  Stream train;
  Eigen::MatrixXd test_inputs;
  Eigen::MatrixXd test_outputs;
  double noise_deviation = 0.0;  // where it is known
};

/// 5 sin(x1² + x2²) + 3 x1 on a 100 × 100 grid on [-1, 1]²; 2,500 of its points, 80 % of them to
/// train on. The test is against f itself, without the noise.
inline Task synthetic_task(std::uint64_t seed) {
  using Eigen::Index;
  constexpr Index kGrid = 100;
  constexpr Index kSampled = 2500;
  constexpr Index kTrain = 2000;
  Random random(seed);
  Eigen::MatrixXd grid(2, kGrid * kGrid);
  Eigen::MatrixXd f(1, kGrid * kGrid);
  for (Index i = 0; i < kGrid * kGrid; ++i) {
    grid.col(i) << 2.0 * static_cast<double>(i / kGrid) / (kGrid - 1) - 1.0,
        2.0 * static_cast<double>(i % kGrid) / (kGrid - 1) - 1.0;
    f(0, i) = 5.0 * std::sin(grid.col(i).squaredNorm()) + 3.0 * grid(0, i);
  }
  const double noise_deviation = 0.05 * f.maxCoeff();

  std::vector<Index> order(static_cast<std::size_t>(kGrid * kGrid));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = 0; i < kSampled; ++i) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(i + random.index(kGrid * kGrid - i))]);
  }
  Task task;
  task.train = {Eigen::MatrixXd(2, kTrain), Eigen::MatrixXd(1, kTrain)};
  task.test_inputs.resize(2, kSampled - kTrain);
  task.test_outputs.resize(1, kSampled - kTrain);
  task.noise_deviation = noise_deviation;
  for (Index i = 0; i < kSampled; ++i) {
    const Index point = order[static_cast<std::size_t>(i)];
    if (i < kTrain) {
      task.train.X.col(i) = grid.col(point);
      task.train.Y(0, i) = f(0, point) + noise_deviation * random.normal();
    } else {
      task.test_inputs.col(i - kTrain) = grid.col(point);
      task.test_outputs(0, i - kTrain) = f(0, point);
    }
  }
  return task;
}

/// NAME_train and NAME_test, with `inputs` inputs; empty if they are not there.
inline std::optional<Task> file_task(const std::string& name, Eigen::Index inputs) {
  const std::optional<Eigen::MatrixXd> train = load(name + "_train");
  const std::optional<Eigen::MatrixXd> test = load(name + "_test");
  if (!train || !test) return std::nullopt;
  return Task{{train->topRows(inputs), train->bottomRows(train->rows() - inputs)},
              test->topRows(inputs),
              test->bottomRows(test->rows() - inputs)};
}

/// One of the ten replicates of powergen: the rows to train on, in stream order; the others test.
inline std::optional<Task> powergen_task(Eigen::Index replicate) {
  using Eigen::Index;
  const std::optional<Eigen::MatrixXd> all = load("powergen_unique");
  const std::optional<Eigen::MatrixXd> order = load("powergen_train_order");
  if (!all || !order) return std::nullopt;
  const Index n = order->cols();
  const Index rest = all->cols() - n;
  Task task{{Eigen::MatrixXd(4, n), Eigen::MatrixXd(1, n)},
            Eigen::MatrixXd(4, rest),
            Eigen::MatrixXd(1, rest)};
  std::vector<bool> used(static_cast<std::size_t>(all->cols()), false);
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<Index>((*order)(replicate, i));
    used[static_cast<std::size_t>(row)] = true;
    task.train.X.col(i) = all->col(row).head(4);
    task.train.Y.col(i) = all->col(row).tail(1);
  }
  for (Index row = 0, i = 0; row < all->cols(); ++row) {
    if (used[static_cast<std::size_t>(row)]) continue;
    task.test_inputs.col(i) = all->col(row).head(4);
    task.test_outputs.col(i++) = all->col(row).tail(1);
  }
  return task;
}

}  // namespace splitgp::testing
