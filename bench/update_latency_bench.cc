// How long the slowest updates take as the stream grows, with θ changing under way: the largest and
// the 99.9th percentile of 10,000 updates after n, m = 100. A new θ is adopted at n, so that the
// refits it causes, one with each update at most, fall into what is measured.
//
//   build/release/bench/update_latency_bench

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>
#include <vector>

#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kInputs = 4;

// Of this thread's work, so that a busy machine does not count.
double microseconds_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

class Source {
 public:
  void next(VectorXd& x, VectorXd& y) {
    for (double& value : x) value = normal_(random_);
    y(0) = std::sin(2.0 * x(0)) + x(1) * x(2) + 0.1 * normal_(random_);
  }

 private:
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
};

void SlowestUpdates(benchmark::State& state) {
  for (auto _ : state) {
    splitgp::Options options;
    options.split_limit = 100;
    options.training = splitgp::Training::off;
    splitgp::SplittingGp model(kInputs, 1, options);
    Source source;
    VectorXd x(kInputs), y(1);
    for (Index i = 0; i < state.range(0); ++i) {
      source.next(x, y);
      model.update(x, y);
    }
    splitgp::Hyperparameters theta = model.hyperparameters();
    theta.length_scale *= 1.1;
    model.set_hyperparameters(theta);

    std::vector<double> microseconds;
    for (int i = 0; i < 10000; ++i) {
      source.next(x, y);
      const double began = microseconds_now();
      model.update(x, y);
      microseconds.push_back(microseconds_now() - began);
    }
    std::sort(microseconds.begin(), microseconds.end());
    state.counters["median_us"] = microseconds[5000];
    state.counters["p99_us"] = microseconds[9900];
    state.counters["p99.9_us"] = microseconds[9990];
    state.counters["max_us"] = microseconds.back();
    state.counters["local_gps"] = static_cast<double>(model.n_local());
  }
}
BENCHMARK(SlowestUpdates)
    ->ArgName("n")
    ->Arg(10000)
    ->Arg(300000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
