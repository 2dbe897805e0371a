// 10,000 predictions at m = 500: one by one, in one batch on one thread, in one batch on two. A
// batch asks each local GP once for many queries, so its factor is read once for several of them.
//
//   build/release/bench/batch_bench

#include <algorithm>
#include <cstdint>
#include <vector>

#include "measure.h"
#include "random_inputs.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kInputs = 8;

splitgp::SplittingGp learned_model(Index m) {
  splitgp::Options options;
  options.split_limit = options.capacity = static_cast<int>(m);
  options.training = splitgp::Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(kInputs, 3.0);
  splitgp::SplittingGp model(kInputs, 1, options);
  const MatrixXd X = bench::random_inputs(kInputs, 10 * m, 1);
  const MatrixXd Y = X.row(0).array().sin() + X.row(1).array() * X.row(2).array();
  model.update_batch(X, Y);
  return model;
}

// CPU time of this thread and of its helpers, and the wall time.
struct Times {
  double own = 0.0;
  double others = 0.0;
  double wall = 0.0;
};

template <typename Work>
Times time(const Work& work) {
  const double own = bench::thread_seconds();
  const double all = bench::clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = bench::clock_seconds(CLOCK_MONOTONIC);
  work();
  Times times;
  times.own = bench::thread_seconds() - own;
  times.others = bench::clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - all - times.own;
  times.wall = bench::clock_seconds(CLOCK_MONOTONIC) - wall;
  return times;
}

void Batch(benchmark::State& state) {
  const Index m = state.range(0);
  const Index n = state.range(1);
  for (auto _ : state) {
    splitgp::SplittingGp model = learned_model(m);
    const MatrixXd X = bench::random_inputs(kInputs, n, 2);
    splitgp::Prediction result;
    const Times single = time([&] {
      for (Index i = 0; i < n; ++i) {
        model.predict(X.col(i), result);
        benchmark::DoNotOptimize(result.mean.data());
      }
    });
    const Times batch = time([&] { model.predict(X, result); });
    model.set_threads(2);
    const Times pair = time([&] { model.predict(X, result); });

    state.counters["batch_speedup"] = single.own / batch.own;
    // The busier thread's CPU time: the wall time if each has a core to itself.
    state.counters["threads_speedup"] = batch.own / std::max(pair.own, pair.others);
    // As measured, with whatever else the machine was doing.
    state.counters["threads_speedup_wall"] = batch.wall / pair.wall;
    state.counters["single_us"] = 1e6 * single.own / static_cast<double>(n);
    state.counters["local_gps"] = static_cast<double>(model.n_local());
  }
}
BENCHMARK(Batch)
    ->ArgNames({"m", "queries"})
    ->Args(bench::smoke() ? std::vector<std::int64_t>{50, 100}
                          : std::vector<std::int64_t>{500, 10000})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
