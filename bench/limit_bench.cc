// How far update, split, predict and train are from the best the machine can do. The floor is the
// larger of two times: that of the bytes that must be read or written, at the rate at which this
// core reads a buffer as large as the model, and that of the floating-point operations that must be
// done, at this core's peak rate. Both rates are measured in the same run, with the instruction set
// that the engine uses here.
//
//   build/release/bench/limit_bench

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/api/internals.h"
#include "core/model/model_training.h"
#include "core/train/training_set.h"
#include "machine.h"
#include "random_inputs.h"
#include "splitgp/splitting_gp.h"

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using splitgp::SplittingGp;

constexpr Index kInputs = 8;
constexpr double kDouble = sizeof(double);

double squared(Index n) { return static_cast<double>(n) * static_cast<double>(n); }
double cubed(Index n) { return squared(n) * static_cast<double>(n); }
double triangle_bytes(Index n) { return kDouble * squared(n) / 2.0; }

MatrixXd responses(const MatrixXd& X) {
  return (X.row(0).array().sin() + X.row(1).array() * X.row(2).array()).matrix();
}

SplittingGp learned_model(Index capacity, Index owned, Index n) {
  splitgp::Options options;
  options.capacity = static_cast<int>(capacity);
  options.split_limit = static_cast<int>(owned);
  options.training = splitgp::Training::off;
  options.hyperparameters.emplace().length_scale = Eigen::VectorXd::Constant(kInputs, 3.0);
  SplittingGp model(kInputs, 1, options);
  const MatrixXd X = bench::random_inputs(kInputs, n, 1);
  model.update_batch(X, responses(X));
  return model;
}

struct Work {
  double bytes = 0.0;
  double flops = 0.0;
  bool split = false;
};

// What the machine does per second while it works on one model.
struct Rates {
  explicit Rates(double model_bytes)
      : bytes(bench::Machine::read_rate(model_bytes)), flops(bench::Machine::flop_rate()) {}
  double floor(const Work& work) const { return std::max(work.bytes / bytes, work.flops / flops); }

  double bytes;
  double flops;
};

void report(benchmark::State& state, const std::string& what, double seconds, double floor,
            double calls) {
  state.counters[what + "_us"] = 1e6 * seconds / calls;
  state.counters[what + "_floor_us"] = 1e6 * floor / calls;
  state.counters[what + "_over_floor"] = seconds / floor;
}

// What update(x, y) of `model` must do; `ahead` is the same model and is updated here.
Work least_work(const SplittingGp& model, SplittingGp& ahead, const Eigen::VectorXd& x,
                const Eigen::VectorXd& y) {
  const splitgp::UpdateResult result = ahead.update(x, y);
  const bool split = result.record.new_local_gp.has_value();
  const Index owner = split ? ahead.split_history().back().parent : result.record.local_gp;
  const splitgp::LocalGp& local =
      splitgp::Internals::of(model).partition.local_gps[static_cast<std::size_t>(owner)];
  const Index n = local.size();
  // One solve reads the factor and the points once.
  Work work{triangle_bytes(n) + kDouble * static_cast<double>(n * kInputs), squared(n), split};
  if (result.record.displaced) {
    // The rows below the displaced one are rotated: each entry is written once, six operations.
    Index row = 0;
    while (local.sequence(row) != *result.record.displaced) ++row;
    work.bytes += triangle_bytes(n - row);
    work.flops += 3.0 * squared(n - row);
  }
  if (split) work.bytes += triangle_bytes(n);  // the copy
  return work;
}

void measure_updates(benchmark::State& state, const SplittingGp& model, Index count) {
  const MatrixXd X = bench::random_inputs(kInputs, count, 2);
  const MatrixXd Y = responses(X);
  std::vector<Work> least;
  {
    SplittingGp behind = model;
    SplittingGp ahead = model;
    for (Index i = 0; i < count; ++i) {
      least.push_back(least_work(behind, ahead, X.col(i), Y.col(i)));
      behind.update(X.col(i), Y.col(i));
    }
  }
  SplittingGp timed = model;
  double seconds[2] = {}, floor[2] = {}, calls[2] = {};
  for (Index i = 0; i < count; ++i) {
    const double began = bench::thread_seconds();
    timed.update(X.col(i), Y.col(i));
    seconds[least[static_cast<std::size_t>(i)].split] += bench::thread_seconds() - began;
  }
  const Rates rates(0.5 * static_cast<double>(model.memory_bytes() + timed.memory_bytes()));
  for (const Work& work : least) {
    floor[work.split] += rates.floor(work);
    calls[work.split] += 1.0;
  }
  report(state, "update", seconds[false], floor[false], calls[false]);
  if (calls[true] > 0.0) report(state, "split", seconds[true], floor[true], calls[true]);
}

// With `kind` in front of the counters' names.
void measure_predictions(benchmark::State& state, const std::string& kind, const SplittingGp& model,
                         const Rates& rates, Index count) {
  Work one;
  for (const splitgp::LocalGp& local : splitgp::Internals::of(model).partition.local_gps) {
    one.bytes +=
        triangle_bytes(local.size()) + kDouble * static_cast<double>(local.size() * (kInputs + 1));
    one.flops += squared(local.size());
  }
  const double asked =
      static_cast<double>(std::min<Index>(model.options().neighbors, model.n_local()));
  one.bytes *= asked / static_cast<double>(model.n_local());
  one.flops *= asked / static_cast<double>(model.n_local());

  const MatrixXd X = bench::random_inputs(kInputs, 8 * count, 3);
  splitgp::Prediction result;
  double began = bench::thread_seconds();
  for (Index i = 0; i < count; ++i) model.predict(X.col(i), result);
  const auto singles = static_cast<double>(count);
  report(state, kind + "predict", bench::thread_seconds() - began, singles * rates.floor(one),
         singles);

  // In a batch, the factors are read once for many queries, and what is left is arithmetic.
  const double all = static_cast<double>(X.cols());
  began = bench::thread_seconds();
  model.predict(X, result);
  report(state, kind + "batch", bench::thread_seconds() - began, all * one.flops / rates.flops,
         all);
}

// One training without a search: a few dozen evaluations of the objective and its gradient on one
// set.
void measure_training(benchmark::State& state, const SplittingGp& model, const Rates& rates) {
  const MatrixXd X = bench::random_inputs(kInputs, 1, 4);
  const MatrixXd Y = responses(X);
  SplittingGp twin = model;
  twin.update(X.col(0), Y.col(0));
  const splitgp::ModelState& after = splitgp::Internals::of(twin);
  const splitgp::TrainingSet set =
      draw_training_set(after, after.options.training_observations, after.knowledge.observations);
  double cubes = 0.0;
  for (const splitgp::TrainingSet::Block& block : set.blocks) cubes += cubed(block.inputs.rows());

  splitgp::ModelState due = splitgp::Internals::of(model);
  due.options.training = splitgp::Training::inlined;
  due.knowledge.schedule = splitgp::TrainingSchedule(splitgp::TrainingSchedule::Marks{
      due.knowledge.observations + 1, due.knowledge.observations, true});
  SplittingGp trained = splitgp::Internals::model(std::move(due));
  const double began = bench::thread_seconds();
  trained.update(X.col(0), Y.col(0));
  const double seconds = bench::thread_seconds() - began;

  // K = LLᵀ, L⁻¹ and L⁻ᵀL⁻¹ take n³/3 operations each; before and after, only the value is needed.
  const double evaluations = trained.training_history().back().record.evaluations;
  const Work work{0.0, cubes * (evaluations + 2.0 / 3.0)};
  report(state, "train", seconds, rates.floor(work), evaluations);
  state.counters["train_evaluations"] = evaluations;
}

void Limits(benchmark::State& state) {
  const Index m = state.range(0);
  const Index count = bench::smoke() ? 100 : 3000;
  for (auto _ : state) {
    // The measurement includes the splits from 16 local GPs to 32.
    const SplittingGp model = learned_model(m, m, bench::smoke() ? 3 * m : 14 * m);
    const Rates rates(static_cast<double>(model.memory_bytes()));
    measure_updates(state, model, count);
    measure_predictions(state, "", model, rates, count / 6);
    // As many local GPs of the same size, which own a quarter of it: three of them are asked.
    const SplittingGp borrowing = learned_model(m, m / 4, bench::smoke() ? m : 14 * m / 4);
    measure_predictions(state, "borrowing_", borrowing,
                        Rates(static_cast<double>(borrowing.memory_bytes())), count / 6);
    measure_training(state, model, rates);
    state.counters["read_GB_s"] = 1e-9 * rates.bytes;
    state.counters["model_MB"] = 1e-6 * static_cast<double>(model.memory_bytes());
  }
}
BENCHMARK(Limits)
    ->ArgName("m")
    ->Apply([](benchmark::internal::Benchmark* limits) {
      if (bench::smoke()) limits->Arg(50);
      if (!bench::smoke()) limits->Arg(250)->Arg(500)->Arg(1000);
    })
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

void MachineRates(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["read_near_GB_s"] = 1e-9 * bench::Machine::read_rate(1e6);
    state.counters["read_memory_GB_s"] =
        1e-9 * bench::Machine::read_rate(bench::smoke() ? 2e6 : 1e9);
    state.counters["Gflop_s"] = 1e-9 * bench::Machine::flop_rate();
  }
}
BENCHMARK(MachineRates)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
