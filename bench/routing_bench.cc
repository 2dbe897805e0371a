// The cost of many local GPs: one update and one prediction with 100,000 of them, as multiples of
// the same with 100. Part of it is the deeper search for the nearest centers; the rest is that what
// it finds is in memory and no longer in the cache. The `hot` figures separate the two: there the
// large model is asked about one small region, whose local GPs stay in the cache. The floor is the
// hot time plus the time to read as much memory, in as many places, without computing anything.
//
// Creating 100,000 local GPs takes 3.6 million updates, 2 GB and most of a minute.
//
//   build/release/bench/routing_bench

#include <cmath>
#include <random>
#include <vector>

#include "machine.h"
#include "measure.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr Index kInputs = 4;
constexpr int kSplitLimit = 50;
constexpr Index kFew = 100;
constexpr int kRounds = 25;
constexpr Index kCalls = 200;  // in a round

// Uniform in a cube with this side, around the middle of the unit cube.
class Source {
 public:
  explicit Source(double side, unsigned seed)
      : uniform_(0.5 - 0.5 * side, 0.5 + 0.5 * side), random_(seed) {}

  MatrixXd inputs(Index n) {
    return MatrixXd::NullaryExpr(kInputs, n, [&] { return uniform_(random_); });
  }

 private:
  std::uniform_real_distribution<double> uniform_;
  std::mt19937_64 random_;
};

MatrixXd responses(const MatrixXd& X) {
  return ((6.0 * X.row(0)).array().sin() + 3.0 * X.row(1).array() * X.row(2).array()).matrix();
}

splitgp::SplittingGp empty_model() {
  splitgp::Options options;
  options.split_limit = options.capacity = kSplitLimit;
  options.training = splitgp::Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(kInputs, 0.5);
  return {kInputs, 1, options};
}

void grow(splitgp::SplittingGp& model, Index local_gps, Source& source) {
  while (model.n_local() < local_gps) {
    const MatrixXd X = source.inputs(1);
    model.update(X.col(0), responses(X).col(0));
  }
}

// Seconds per call.
double update_seconds(splitgp::SplittingGp& model, Source& source) {
  const MatrixXd X = source.inputs(kCalls);
  const MatrixXd Y = responses(X);
  const double began = bench::thread_seconds();
  for (Index i = 0; i < kCalls; ++i) benchmark::DoNotOptimize(model.update(X.col(i), Y.col(i)));
  return (bench::thread_seconds() - began) / static_cast<double>(kCalls);
}

double predict_seconds(const splitgp::SplittingGp& model, Source& source) {
  const MatrixXd X = source.inputs(kCalls);
  splitgp::Prediction prediction;
  const double began = bench::thread_seconds();
  for (Index i = 0; i < kCalls; ++i) {
    model.predict(X.col(i), prediction);
    benchmark::DoNotOptimize(prediction.mean.data());
  }
  return (bench::thread_seconds() - began) / static_cast<double>(kCalls);
}

struct Times {
  std::vector<double> update, predict;
};

// Predictions first: they also bring the model into the cache, if it fits.
void measure(splitgp::SplittingGp& model, Source& source, Times& times) {
  times.predict.push_back(predict_seconds(model, source));
  times.update.push_back(update_seconds(model, source));
}

void Routing(benchmark::State& state) {
  const Index many = state.range(0);
  for (auto _ : state) {
    Source everywhere(1.0, 1);
    splitgp::SplittingGp large = empty_model();
    grow(large, kFew, everywhere);
    const splitgp::SplittingGp small = large;
    grow(large, many, everywhere);

    // In turn, so that whatever else the machine does affects all of them alike.
    const double share = static_cast<double>(kFew) / static_cast<double>(large.n_local());
    Source somewhere(std::pow(share, 1.0 / kInputs), 2);
    Times few, all, hot;
    for (int round = 0; round < kRounds; ++round) {
      splitgp::SplittingGp fresh = small;
      measure(fresh, everywhere, few);
      measure(large, everywhere, all);
      predict_seconds(large, somewhere);
      measure(large, somewhere, hot);
    }
    const double few_update = bench::median(few.update);
    const double few_predict = bench::median(few.predict);
    state.counters["update_us_at_100"] = 1e6 * few_update;
    state.counters["predict_us_at_100"] = 1e6 * few_predict;
    state.counters["update_growth"] = bench::median(all.update) / few_update;
    state.counters["predict_growth"] = bench::median(all.predict) / few_predict;
    state.counters["hot_update_growth"] = bench::median(hot.update) / few_update;
    state.counters["hot_predict_growth"] = bench::median(hot.predict) / few_predict;
    const double bytes = static_cast<double>(large.memory_bytes());
    const double read =
        bench::Machine::scattered_read_seconds(bytes, bytes / static_cast<double>(large.n_local()));
    const int asked = large.options().neighbors;
    state.counters["update_over_floor"] =
        bench::median(all.update) / (bench::median(hot.update) + read);
    state.counters["predict_over_floor"] =
        bench::median(all.predict) / (bench::median(hot.predict) + asked * read);
    state.counters["read_us"] = 1e6 * read;
    state.counters["GB"] = 1e-9 * bytes;
  }
}
BENCHMARK(Routing)
    ->ArgName("local_gps")
    ->Arg(bench::smoke() ? 300 : 100000)
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

}  // namespace
