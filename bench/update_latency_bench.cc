// How long the slowest updates take as the stream grows while θ changes: percentiles of 10,000
// updates after 300,000 observations, as multiples of those after 10,000, m = 100. A new θ is
// adopted first, so that the measurement includes the refits it causes, at most one per update.
//
// And how long they take with a window: percentiles of 10,000 updates of a model that holds its
// last 20,000 observations and forgets one with each, as multiples of those of a model that has as
// many and keeps all. The two take turns.
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

Index short_stream() { return bench::smoke() ? 500 : 10000; }
int measured_updates() { return bench::smoke() ? 500 : 10000; }

/// Of times that are sorted.
double percentile(const std::vector<double>& times, double percent) {
  return times[static_cast<std::size_t>(percent / 100.0 * static_cast<double>(times.size()))];
}

class Stream {
 public:
  explicit Stream(const splitgp::Options& options = few_owned()) : model_(kInputs, 1, options) {}

  void learn_until(Index n) {
    while (learned_ < n) learn();
  }

  /// Times of the next updates, sorted.
  std::vector<double> microseconds() {
    splitgp::Hyperparameters theta = model_.hyperparameters();
    theta.length_scale *= 1.1;
    model_.set_hyperparameters(theta);
    std::vector<double> result;
    for (int i = 0; i < measured_updates(); ++i) result.push_back(1e6 * learn());
    std::sort(result.begin(), result.end());
    return result;
  }

  Index local_gps() const { return model_.n_local(); }

  static splitgp::Options few_owned() {
    splitgp::Options options;
    options.split_limit = options.capacity = 100;
    options.training = splitgp::Training::off;
    return options;
  }

  /// Learns one row; the seconds it takes.
  double learn() {
    for (double& value : x_) value = normal_(random_);
    y_(0) = std::sin(2.0 * x_(0)) + x_(1) * x_(2) + 0.1 * normal_(random_);
    ++learned_;
    const double began = bench::thread_seconds();
    model_.update(x_, y_);
    return bench::thread_seconds() - began;
  }

 private:
  splitgp::SplittingGp model_;
  Index learned_ = 0;
  VectorXd x_ = VectorXd(kInputs), y_ = VectorXd(1);
  std::mt19937_64 random_{7};
  std::normal_distribution<double> normal_;
};

void report(benchmark::State& state, const std::string& when, const std::vector<double>& times) {
  state.counters["median_us_" + when] = percentile(times, 50);
  state.counters["p99_us_" + when] = percentile(times, 99);
  state.counters["p99.9_us_" + when] = percentile(times, 99.9);
  state.counters["max_us_" + when] = times.back();
}

void SlowestUpdates(benchmark::State& state) {
  for (auto _ : state) {
    Stream early, late;
    early.learn_until(short_stream());
    late.learn_until(state.range(0));
    const std::vector<double> before = early.microseconds();
    const std::vector<double> after = late.microseconds();
    report(state, "early", before);
    report(state, "late", after);
    state.counters["median_growth"] = percentile(after, 50) / percentile(before, 50);
    state.counters["p99_growth"] = percentile(after, 99) / percentile(before, 99);
    state.counters["p99.9_growth"] = percentile(after, 99.9) / percentile(before, 99.9);
    state.counters["local_gps"] = static_cast<double>(late.local_gps());
  }
}
void SlowestUpdatesOfAWindow(benchmark::State& state) {
  const int window = bench::smoke() ? 500 : 20000;
  for (auto _ : state) {
    splitgp::Options options;
    options.capacity = static_cast<int>(state.range(0));
    options.training = splitgp::Training::off;
    Stream keeping(options);
    if (state.range(1) == 0) {
      options.window_size = window;
    } else {
      options.max_observations = window;
      options.forget = splitgp::Forget::redundant;
    }
    Stream forgetting(options);
    keeping.learn_until(window);
    forgetting.learn_until(2 * window);
    std::vector<double> without, with;
    for (int i = 0; i < measured_updates(); ++i) {
      without.push_back(1e6 * keeping.learn());
      with.push_back(1e6 * forgetting.learn());
    }
    std::sort(without.begin(), without.end());
    std::sort(with.begin(), with.end());
    report(state, "keeping", without);
    report(state, "forgetting", with);
    state.counters["median_ratio"] = percentile(with, 50) / percentile(without, 50);
    state.counters["p99_ratio"] = percentile(with, 99) / percentile(without, 99);
    state.counters["p99.9_ratio"] = percentile(with, 99.9) / percentile(without, 99.9);
    state.counters["local_gps"] = static_cast<double>(forgetting.local_gps());
  }
}
BENCHMARK(SlowestUpdatesOfAWindow)
    ->ArgNames({"capacity", "redundant"})
    ->ArgsProduct({{100, 250}, {0, 1}})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

BENCHMARK(SlowestUpdates)
    ->ArgName("n")
    ->Arg(bench::smoke() ? short_stream() : 300000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
