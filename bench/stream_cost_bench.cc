// What a row of a stream costs, by part: the first rows of real streams and of a generated one,
// predicted, learned and written to a model file as `splitgp stream` does, by processor time. Each
// part as a multiple of one raw triangular solve of `capacity` points, and as a share of the row.
//
//   SPLITGP_BENCH_ROWS=10000 build/release/bench/stream_cost_bench     (default: 1500 rows)
//   bench/stream_cost                                                  the table in docs

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "core/api/internals.h"
#include "measure.h"
#include "raw_solve.h"
#include "splitgp/model_file.h"
#include "splitgp/splitting_gp.h"
#include "support/data.h"
#include "support/temporary_directory.h"

namespace {

using bench::process_seconds;
using Eigen::Index;
using Eigen::MatrixXd;
using splitgp::SplittingGp;

constexpr Index kCommitEvery = 1024;  // as `splitgp stream` does
constexpr Index kLeastRows = 100;     // fewer are never trained
constexpr Index kProbes = 4;
constexpr Index kProbeRows = 150;
constexpr double kMemory = 0.05;  // of the running mean over plain rows

Index rows_wanted() {
  if (bench::smoke()) return 120;
  const char* given = std::getenv("SPLITGP_BENCH_ROWS");
  if (given == nullptr || *given == '\0') return 1500;
  const Index rows = std::atol(given);
  if (rows < kLeastRows) {
    std::fprintf(stderr, "SPLITGP_BENCH_ROWS is '%s'; it must be a number from %td on\n", given,
                 kLeastRows);
    std::exit(1);
  }
  return rows;
}

struct Stream {
  MatrixXd X;
  MatrixXd Y;
};

// 26 inputs, of which four matter.
Stream generated(Index rows) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Stream stream{MatrixXd::NullaryExpr(26, rows, [&] { return normal(random); }), MatrixXd(1, rows)};
  for (Index i = 0; i < rows; ++i) {
    const auto x = stream.X.col(i);
    stream.Y(0, i) = std::sin(x(0)) + x(1) * x(2) + 0.5 * x(3) + 0.1 * normal(random);
  }
  return stream;
}

// The first rows in stream order, and the last output; nothing if the file is not there.
std::optional<Stream> stored(const std::string& name, Index rows) {
  const std::string file = name == "powergen" ? "powergen_unique"
                           : name == "kin40k" ? "kin40k_train"
                                              : name;
  std::optional<MatrixXd> all = splitgp::testing::load(file);
  if (!all) return std::nullopt;
  if (name == "powergen") {  // its file is sorted; the order of the stream comes with it
    const std::optional<MatrixXd> order = splitgp::testing::load("powergen_train_order");
    if (!order) return std::nullopt;
    MatrixXd ordered(all->rows(), order->cols());
    for (Index i = 0; i < ordered.cols(); ++i)
      ordered.col(i) = all->col(static_cast<Index>((*order)(0, i)));
    all = std::move(ordered);
  }
  const auto first = all->leftCols(std::min(rows, all->cols()));
  const Index inputs = all->rows() - (name == "gas_turbine" ? 2 : 1);
  return Stream{first.topRows(inputs), first.bottomRows(1)};
}

// Seconds, but for the last two. The first three are what a row costs that neither trains nor
// refits.
struct Cost {
  double predict = 0.0, update = 0.0, offer = 0.0;
  double refit = 0.0, search = 0.0, finish = 0.0, file = 0.0;
  double solve = 0.0;  // one raw solve
  double trainings = 0.0, refits = 0.0;
};

// How a plain row's time is shared among prediction, the owner's update and offering. The engine
// is not asked to time itself: three copies of the model go through the next rows side by side, one
// as always, one that offers nothing, and one that only predicts.
struct Probe {
  double whole = 0.0, without_offer = 0.0, predict = 0.0;

  void add(const SplittingGp& model, const Stream& stream, Index first) {
    SplittingGp copies[3] = {model, model, model};
    for (SplittingGp& copy : copies) {
      copy.refit(copy.n_local());
      splitgp::Internals::of(copy).options.training = splitgp::Training::off;
    }
    // The local GPs keep their own capacity: this only ends the offering.
    splitgp::Options& options = splitgp::Internals::of(copies[1]).options;
    options.capacity = options.split_limit;
    splitgp::Prediction before;
    const Index last = std::min(first + kProbeRows, stream.X.cols());
    for (Index i = first; i < last; ++i) {
      const auto x = stream.X.col(i);
      const auto y = stream.Y.col(i);
      const double t0 = process_seconds();
      copies[0].predict_then_update(x, y, before);
      const double t1 = process_seconds();
      copies[1].predict_then_update(x, y, before);
      const double t2 = process_seconds();
      copies[2].predict(x, before);
      const double t3 = process_seconds();
      whole += t1 - t0;
      without_offer += t2 - t1;
      predict += t3 - t2;
    }
  }
};

// Training is told from `trained`, refits from `renewed`; what such a row takes beyond the running
// mean of plain rows is theirs.
Cost measure(splitgp::ModelFile& file, const Stream& stream) {
  const Index rows = stream.X.cols();
  const Index between_probes = rows / (kProbes + 1);
  Cost cost;
  Probe probe;
  double plain = 0.0, plain_total = 0.0;
  splitgp::Prediction before;
  for (Index i = 0; i < rows; ++i) {
    const double began = process_seconds();
    const splitgp::UpdateResult result =
        file.model().predict_then_update(stream.X.col(i), stream.Y.col(i), before);
    const double seconds = process_seconds() - began;
    const double beyond = std::max(0.0, seconds - plain);
    if (result.trained) {
      const splitgp::TrainResult& training = file.model().training_history().back();
      const double share =
          training.seconds > 0.0 ? training.record.search_seconds / training.seconds : 0.0;
      cost.search += share * beyond;
      cost.finish += (1.0 - share) * beyond;
      ++cost.trainings;
    } else if (result.record.renewed) {
      cost.refit += beyond;
      ++cost.refits;
    } else {
      plain = i == 0 ? seconds : plain + kMemory * (seconds - plain);
    }
    plain_total += result.trained || result.record.renewed ? seconds - beyond : seconds;

    if ((i + 1) % kCommitEvery == 0 || i + 1 == rows) {
      const double commits = process_seconds();
      file.checkpoint({{"stream", static_cast<std::uint64_t>(i + 1)}});
      cost.file += process_seconds() - commits;
    }
    if ((i + 1) % between_probes == 0 && (i + 1) / between_probes <= kProbes) {
      probe.add(file.model(), stream, i + 1);
      // Along the way: what else the machine does then slows both alike.
      cost.solve += bench::raw_solve_seconds(file.model().options().capacity, 1) / kProbes;
    }
  }
  cost.predict = plain_total * std::min(1.0, probe.predict / probe.whole);
  cost.offer = plain_total * std::max(0.0, 1.0 - probe.without_offer / probe.whole);
  cost.update = std::max(0.0, plain_total - cost.predict - cost.offer);
  return cost;
}

void stream_cost(benchmark::State& state, const Stream& stream, int capacity) {
  const auto rows = static_cast<double>(stream.X.cols());
  for (auto _ : state) {
    splitgp::Options options;
    options.capacity = capacity;
    const splitgp::testing::TemporaryDirectory folder;
    splitgp::ModelFile file = splitgp::ModelFile::create(folder.path() / "model.splitgp",
                                                         SplittingGp(stream.X.rows(), 1, options));
    const Cost cost = measure(file, stream);
    const double whole = cost.predict + cost.update + cost.offer + cost.refit + cost.search +
                         cost.finish + cost.file;
    const auto report = [&](const std::string& part, double seconds) {
      state.counters[part + "_solves"] = seconds / rows / cost.solve;
      state.counters[part + "_share"] = seconds / whole;
    };
    report("search", cost.search);
    report("finish", cost.finish);
    report("refit", cost.refit);
    report("offer", cost.offer);
    report("update", cost.update);
    report("predict", cost.predict);
    report("file", cost.file);
    state.counters["row_solves"] = whole / rows / cost.solve;
    state.counters["row_us"] = 1e6 * whole / rows;
    state.counters["solve_us"] = 1e6 * cost.solve;
    state.counters["rows"] = rows;
    state.counters["inputs"] = static_cast<double>(stream.X.rows());
    state.counters["trainings"] = cost.trainings;
    state.counters["refits"] = cost.refits;
    state.counters["local_gps"] = static_cast<double>(file.model().n_local());
  }
}

const bool registered = [] {
  const Index rows = rows_wanted();
  std::string missing;
  const auto add = [&](const std::string& name, const Stream& stream) {
    for (const int capacity : {100, 250}) {
      const std::string title = "StreamCost/" + name + "/capacity:" + std::to_string(capacity) +
                                "/rows:" + std::to_string(stream.X.cols());
      benchmark::RegisterBenchmark(
          title.c_str(),
          [stream, capacity](benchmark::State& state) { stream_cost(state, stream, capacity); })
          ->Iterations(1)
          ->Unit(benchmark::kSecond);
      if (bench::smoke()) break;
    }
  };
  for (const char* name : {"gas_turbine", "pjme_hourly", "powergen", "kin40k"}) {
    if (bench::smoke()) break;
    if (const std::optional<Stream> stream = stored(name, rows)) {
      add(name, *stream);
    } else {
      missing += (missing.empty() ? "" : ", ") + std::string(name);
    }
  }
  add("generated", generated(rows));
  if (!missing.empty())  // bench/run and bench/stream_cost say it aloud
    benchmark::AddCustomContext("splitgp_not_measured",
                                missing + " (neither in $SPLITGP_DATA nor in ../shared/data)");
  return true;
}();

}  // namespace
