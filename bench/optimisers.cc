// Train's optimiser beside others: the objective reached, evaluations and processor time on
// training sets drawn from real streams as Train draws them. Prints the table of docs/licences.md.
//
//   build/release/bench/optimisers [streams from each data set; default 2]

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/api/internals.h"
#include "core/model/model_state.h"
#include "core/model/model_training.h"
#include "core/train/contender.h"
#include "core/train/objective.h"
#include "core/train/training_set.h"
#include "measure.h"
#include "optimiser_contenders.h"
#include "splitgp/splitting_gp.h"
#include "support/data.h"

namespace {

using bench::Budget;
using bench::Contender;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using splitgp::Hyperparameters;
using splitgp::KernelFamily;
using splitgp::Objective;
using splitgp::TrainingSet;

// As in search.cc, train.cc and theta_training.cc; the relative changes are those that Train asked
// NLopt for.
constexpr Budget kFirstLook{splitgp::kFirstLook, 1e-4};
constexpr Budget kCompare{{20, 1e-3}, 1e-4};
constexpr Budget kFinish{{50, 2e-4}, 1e-5};
constexpr double kMemory = 0.05;

struct Sizes {
  Index stream, training;
};
const Sizes kSizes = bench::smoke() ? Sizes{200, 100} : Sizes{6000, 3000};

// What one optimiser did in one task.
struct Outcome {
  double value = 0.0;
  double evaluations = 0.0;
  double seconds = 0.0;
};

struct Run {
  std::string task;
  std::vector<Outcome> outcomes;  // one per contender
};

// Rows of `name` as columns, outputs last; each `seed` gives another part or order of them.
std::optional<MatrixXd> stream(const std::string& name, Index seed, Index seeds) {
  const bool powergen = name == "powergen";
  const std::string file = powergen ? "powergen_unique" : name == "kin40k" ? "kin40k_train" : name;
  const std::optional<MatrixXd> rows = splitgp::testing::load(file);
  if (!rows) return std::nullopt;
  if (powergen) {  // its file is sorted; the order of ten replicates comes with it
    const std::optional<MatrixXd> order = splitgp::testing::load("powergen_train_order");
    if (!order) return std::nullopt;
    MatrixXd ordered(rows->rows(), kSizes.stream);
    for (Index i = 0; i < kSizes.stream; ++i) {
      ordered.col(i) = rows->col(static_cast<Index>((*order)(seed % order->rows(), i)));
    }
    return ordered;
  }
  const Index first = seeds > 1 ? seed * (rows->cols() - kSizes.stream) / (seeds - 1) : 0;
  return rows->middleCols(first, kSizes.stream);
}

// One run of one optimiser: adds its result to `outcome` and returns the point it found.
VectorXd maximise(const Contender& contender, Objective& objective, const VectorXd& start,
                  const Budget& budget, Outcome& outcome) {
  const double began = bench::thread_seconds();
  const splitgp::Optimum optimum = contender.maximise(objective, start, budget);
  outcome.seconds += bench::thread_seconds() - began;
  outcome.evaluations += optimum.evaluations;
  outcome.value = optimum.value;
  return optimum.parameters;
}

class Comparison {
 public:
  explicit Comparison(std::vector<Contender> contenders) : contenders_(std::move(contenders)) {}

  // A stream grows to half its length, is trained for the first time, and again at its full length.
  void add(const std::string& data, const MatrixXd& rows, std::uint64_t seed) {
    const Index outputs = data == "gas_turbine" ? 2 : 1;  // the last one is learned
    const Index inputs = rows.rows() - outputs;
    splitgp::Options options;
    options.kernel = KernelFamily::rbf;
    options.seed = seed;
    splitgp::SplittingGp model(inputs, 1, options);
    std::vector<TrainingSet> sets;
    for (const Index from : {Index{0}, kSizes.stream / 2}) {
      const auto half = rows.middleCols(from, kSizes.stream / 2);
      model.update_batch(half.topRows(inputs), half.bottomRows(1));
      sets.push_back(draw_training_set(splitgp::Internals::of(model), kSizes.training,
                                       seed + model.n_observations()));
    }
    for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern32}) {
      Hyperparameters base = model.hyperparameters();
      base.kernel = family;
      const Hyperparameters found = search(sets[0], base);
      train_again(sets[1], found);
    }
  }

  const std::vector<Contender>& contenders() const { return contenders_; }
  const std::vector<Run>& runs() const { return runs_; }

 private:
  // A first training with one family, all its starts to the end. Returns the first contender's θ.
  Hyperparameters search(const TrainingSet& set, const Hyperparameters& base) {
    const TrainingSet few = splitgp::few(set);
    const TrainingSet more = splitgp::more(set);
    Objective on_few(few, base.kernel, base, {});
    Objective on_more(more, base.kernel, base, {});
    Objective on_all(set, base.kernel, base, {});
    std::vector<VectorXd> starts;
    const double medium = medium_length_scale(set);
    for (const double length_scale : {3.0 * medium, medium, 0.3 * medium}) {
      for (const double noise : {0.01, 0.3}) starts.push_back(on_few.start(length_scale, noise));
    }
    const std::size_t looks = runs_.size();
    runs_.resize(looks + starts.size(), {"first look", {}});
    Run whole{"search", {}};
    std::vector<VectorXd> places;
    for (const Contender& contender : contenders_) {
      Outcome total;
      VectorXd best;
      double best_value = 0.0;
      for (std::size_t i = 0; i < starts.size(); ++i) {
        Outcome look;
        const VectorXd place = maximise(contender, on_few, starts[i], kFirstLook, look);
        if (best.size() == 0 || look.value > best_value) {
          best = place;
          best_value = look.value;
        }
        total.evaluations += look.evaluations;
        total.seconds += look.seconds;
        runs_[looks + i].outcomes.push_back(look);
      }
      best = maximise(contender, on_more, best, kCompare, total);
      best = maximise(contender, on_all, best, kFinish, total);
      whole.outcomes.push_back(total);
      places.push_back(best);
    }
    runs_.push_back(whole);
    return on_all.theta(places.front());
  }

  // A training without a search, from the θ of the last one.
  void train_again(const TrainingSet& set, const Hyperparameters& theta) {
    Objective objective(set, theta.kernel, theta, {});
    objective.remember(theta, kMemory * (1.0 - static_cast<double>(set.observations) /
                                                   static_cast<double>(kSizes.stream)));
    Run run{"again", {}};
    for (const Contender& contender : contenders_) {
      maximise(contender, objective, objective.parameters(theta), kFinish,
               run.outcomes.emplace_back());
    }
    runs_.push_back(run);
  }

  std::vector<Contender> contenders_;
  std::vector<Run> runs_;
};

// One line per contender, over the chosen runs.
void print(const std::string& what, const std::vector<const Run*>& runs,
           const std::vector<Contender>& contenders) {
  double first_seconds = 0.0;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    double mean = 0.0, worst = 0.0, behind = 0.0, evaluations = 0.0, seconds = 0.0;
    for (const Run* run : runs) {
      const auto by_value = [](const Outcome& a, const Outcome& b) { return a.value < b.value; };
      const double best =
          std::max_element(run->outcomes.begin(), run->outcomes.end(), by_value)->value;
      const double gap = best - run->outcomes[c].value;
      mean += gap;
      worst = std::max(worst, gap);
      behind += gap > 1e-3 ? 1.0 : 0.0;
      evaluations += run->outcomes[c].evaluations;
      seconds += run->outcomes[c].seconds;
    }
    const double count = static_cast<double>(runs.size());
    if (c == 0) first_seconds = seconds;
    std::printf("| %s | %s, %s | %.5f | %.4f | %.0f of %.0f | %.1f | %.1f | %.2f |\n", what.c_str(),
                contenders[c].name.c_str(), contenders[c].licence.c_str(), mean / count, worst,
                behind, count, evaluations / count, seconds, seconds / first_seconds);
  }
}

void print_table(const Comparison& comparison) {
  std::printf(
      "\n| task | optimiser | mean gap | largest gap | gap > 0.001 | evaluations | CPU s "
      "| times ours |\n|---|---|---|---|---|---|---|---|\n");
  for (const char* task : {"first look", "search", "again"}) {
    std::vector<const Run*> chosen;
    for (const Run& run : comparison.runs()) {
      if (run.task == task) chosen.push_back(&run);
    }
    if (!chosen.empty()) print(task, chosen, comparison.contenders());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Index seeds = bench::smoke() ? 1 : argc > 1 ? std::atoi(argv[1]) : 2;
  if (argc > 2 || seeds < 1) {
    std::fprintf(stderr, "usage: optimisers [streams from each data set; default 2]\n");
    return 2;
  }
  std::vector<std::string> names = {"kin40k",      "powergen",      "gas_turbine",
                                    "pjme_hourly", "metro_traffic", "beijing_pm25"};
  if (bench::smoke()) names.resize(2);
  Comparison comparison(bench::contenders());
  for (const std::string& name : names) {
    for (Index seed = 0; seed < seeds; ++seed) {
      const std::optional<MatrixXd> rows = stream(name, seed, seeds);
      if (!rows) {
        std::fprintf(stderr, "%s: skipped, the file is missing\n", name.c_str());
        break;
      }
      comparison.add(name, *rows, static_cast<std::uint64_t>(seed));
      std::fprintf(stderr, "%s, stream %td of %td\n", name.c_str(), seed + 1, seeds);
    }
  }
  for (const std::string& name : bench::missing_contenders()) {
    std::printf("left out, not found when this was compiled: %s\n", name.c_str());
  }
  print_table(comparison);
}
