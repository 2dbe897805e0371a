// What derivatives cost: the time of predict_gradient over that of predict, one query after the
// other and in a batch. The promise is 2.5 at most, with one output.
//
//   build/release/bench/gradient_bench

#include <algorithm>
#include <cstdint>
#include <vector>

#include "measure.h"
#include "random_inputs.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// Local GPs that hold m observations each; enough of them not to fit into the cache.
splitgp::SplittingGp learned_model(Index m, Index inputs, Index outputs) {
  splitgp::Options options;
  options.capacity = static_cast<int>(m);
  options.kernel = splitgp::KernelFamily::matern52;
  options.training = splitgp::Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(inputs, 3.0);
  splitgp::SplittingGp model(inputs, outputs, options);
  const MatrixXd X = bench::random_inputs(inputs, bench::smoke() ? 3 * m : 8 * m, 1);
  const MatrixXd Y =
      (X.row(0).array().sin() + X.row(1).array() * X.row(2).array()).matrix().replicate(outputs, 1);
  model.update_batch(X, Y);
  return model;
}

// The median over rounds in which both are measured right after each other: what else the machine
// does then changes both.
template <typename Plain, typename Gradient>
double ratio(int rounds, const Plain& plain, const Gradient& gradient) {
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const double began = bench::thread_seconds();
    plain();
    const double between = bench::thread_seconds();
    gradient();
    ratios.push_back((bench::thread_seconds() - between) / (between - began));
  }
  return bench::median(ratios);
}

void Gradient(benchmark::State& state) {
  const Index m = state.range(0);
  const Index inputs = state.range(1);
  const Index outputs = state.range(2);
  const int rounds = bench::smoke() ? 1 : 15;
  const Index n = bench::smoke() ? 50 : 1000;
  for (auto _ : state) {
    const splitgp::SplittingGp model = learned_model(m, inputs, outputs);
    const MatrixXd X = bench::random_inputs(inputs, n, 2);
    splitgp::Prediction plain;
    splitgp::PredictionGradient gradient;
    model.predict_gradient(X, gradient);
    const Index few = std::min<Index>(n, 200);
    state.counters["single_ratio"] = ratio(
        rounds,
        [&] {
          for (Index i = 0; i < few; ++i) model.predict(X.col(i), plain);
        },
        [&] {
          for (Index i = 0; i < few; ++i) model.predict_gradient(X.col(i), gradient);
        });
    state.counters["batch_ratio"] = ratio(
        rounds, [&] { model.predict(X, plain); }, [&] { model.predict_gradient(X, gradient); });
    const double began = bench::thread_seconds();
    for (Index i = 0; i < few; ++i) model.predict_gradient(X.col(i), gradient);
    state.counters["single_us"] =
        1e6 * (bench::thread_seconds() - began) / static_cast<double>(few);
  }
}

std::vector<std::int64_t> sizes() {
  return bench::smoke() ? std::vector<std::int64_t>{50} : std::vector<std::int64_t>{100, 250, 500};
}
std::vector<std::int64_t> inputs() {
  return bench::smoke() ? std::vector<std::int64_t>{4} : std::vector<std::int64_t>{4, 12, 30};
}

BENCHMARK(Gradient)
    ->ArgNames({"m", "inputs", "outputs"})
    ->ArgsProduct({sizes(), inputs(), {1, 7}})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
