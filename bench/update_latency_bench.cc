// How long the slowest updates take as the stream grows while θ changes: percentiles of 10,000
// updates after 300,000 observations, as multiples of those after 10,000, m = 100. A new θ is
// adopted first, so that the measurement includes the refits it causes, at most one per update.
//
//   build/release/bench/update_latency_bench

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "measure.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kInputs = 4;
constexpr Index kShort = 10000;

class Stream {
 public:
  Stream() : model_(kInputs, 1, options()) {}

  void learn_until(Index n) {
    while (learned_ < n) learn();
  }

  /// Times of the next 10,000 updates, sorted.
  std::vector<double> microseconds() {
    splitgp::Hyperparameters theta = model_.hyperparameters();
    theta.length_scale *= 1.1;
    model_.set_hyperparameters(theta);
    std::vector<double> result;
    for (int i = 0; i < 10000; ++i) result.push_back(1e6 * learn());
    std::sort(result.begin(), result.end());
    return result;
  }

  Index local_gps() const { return model_.n_local(); }

 private:
  static splitgp::Options options() {
    splitgp::Options options;
    options.split_limit = options.capacity = 100;
    options.training = splitgp::Training::off;
    return options;
  }

  double learn() {
    for (double& value : x_) value = normal_(random_);
    y_(0) = std::sin(2.0 * x_(0)) + x_(1) * x_(2) + 0.1 * normal_(random_);
    ++learned_;
    const double began = bench::thread_seconds();
    model_.update(x_, y_);
    return bench::thread_seconds() - began;
  }

  splitgp::SplittingGp model_;
  Index learned_ = 0;
  VectorXd x_ = VectorXd(kInputs), y_ = VectorXd(1);
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
};

void report(benchmark::State& state, const std::string& when, const std::vector<double>& times) {
  state.counters["median_us_" + when] = times[5000];
  state.counters["p99_us_" + when] = times[9900];
  state.counters["p99.9_us_" + when] = times[9990];
  state.counters["max_us_" + when] = times.back();
}

void SlowestUpdates(benchmark::State& state) {
  for (auto _ : state) {
    Stream early, late;
    early.learn_until(kShort);
    late.learn_until(state.range(0));
    const std::vector<double> before = early.microseconds();
    const std::vector<double> after = late.microseconds();
    report(state, "early", before);
    report(state, "late", after);
    state.counters["median_growth"] = after[5000] / before[5000];
    state.counters["p99_growth"] = after[9900] / before[9900];
    state.counters["p99.9_growth"] = after[9990] / before[9990];
    state.counters["local_gps"] = static_cast<double>(late.local_gps());
  }
}
BENCHMARK(SlowestUpdates)
    ->ArgName("n")
    ->Arg(bench::smoke() ? kShort : 300000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
