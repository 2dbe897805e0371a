// One update and one prediction, as multiples of the least that must be done: a triangular solve of
// size m. The raw solve is Eigen's, measured in the same run, so the ratio means the same on every
// machine.
//
//   build/release/bench/update_predict_bench

#include <algorithm>
#include <cmath>

#include "measure.h"
#include "random_inputs.h"
#include "raw_solve.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kInputs = 8;

VectorXd response(const VectorXd& x) { return VectorXd::Constant(1, std::sin(x(0)) + x(1) * x(2)); }

splitgp::SplittingGp steady_model(Index m, Index owned, Index cells) {
  splitgp::Options options;
  options.capacity = static_cast<int>(m);
  options.split_limit = static_cast<int>(owned);
  options.training = splitgp::Training::off;
  options.hyperparameters.emplace().length_scale = VectorXd::Constant(kInputs, 3.0);
  splitgp::SplittingGp model(kInputs, 1, options);
  const MatrixXd X = bench::random_inputs(kInputs, (bench::smoke() ? 2 : cells) * owned, 2);
  for (Index i = 0; i < X.cols(); ++i) model.update(X.col(i), response(X.col(i)));
  return model;
}

void report(benchmark::State& state, double seconds, Index m, Index local_gps) {
  const double each = seconds / static_cast<double>(state.iterations());
  state.counters["hot_solves"] = each / bench::raw_solve_seconds(m, 1);
  state.counters["cold_solves"] =
      each / bench::raw_solve_seconds(m, std::min<Index>(local_gps, 32));
}

// Arguments: m, and how many times m observations came before. Splits and displacements are
// included.
void Update(benchmark::State& state) {
  const Index m = state.range(0);
  splitgp::SplittingGp model = steady_model(m, m, state.range(1));
  const MatrixXd X = bench::random_inputs(kInputs, 4096, 3);
  Index i = 0;
  const double began = bench::thread_seconds();
  for (auto _ : state) {
    const auto x = X.col(i++ % X.cols());
    benchmark::DoNotOptimize(model.update(x, response(x)));
  }
  report(state, bench::thread_seconds() - began, m, model.n_local());
}
BENCHMARK(Update)
    ->ArgNames({"m", "cells"})
    ->Args({100, 10})
    ->Args({100, 100})
    ->Args({250, 10})
    ->Args({500, 5})
    ->Args({500, 20})
    ->Args({1000, 4})
    ->Unit(benchmark::kMicrosecond);

void measure_predictions(benchmark::State& state, Index owned) {
  const Index m = state.range(0);
  const splitgp::SplittingGp model = steady_model(m, owned, owned < m ? 40 : 10);
  const MatrixXd X = bench::random_inputs(kInputs, 4096, 4);
  Index i = 0;
  const double began = bench::thread_seconds();
  for (auto _ : state) benchmark::DoNotOptimize(model.predict(X.col(i++ % X.cols())));
  report(state, bench::thread_seconds() - began, m, model.n_local());
}

void Predict(benchmark::State& state) { measure_predictions(state, state.range(0)); }
BENCHMARK(Predict)->ArgName("m")->Arg(100)->Arg(250)->Arg(500)->Arg(1000)->Unit(
    benchmark::kMicrosecond);

// A local GP owns a quarter of its m points and borrows the others; three are asked instead of
// eight.
void PredictBorrowing(benchmark::State& state) { measure_predictions(state, state.range(0) / 4); }
BENCHMARK(PredictBorrowing)
    ->ArgName("m")
    ->Arg(100)
    ->Arg(250)
    ->Arg(500)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
