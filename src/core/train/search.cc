#include "core/train/search.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/train/objective.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Up to this many, every start is cheap.
constexpr Index kCheap = 150;
// A family this far behind, per observation, after the first look does not catch up.
constexpr double kHopeless = 0.1;
// The families' best are compared on more observations; those no further behind than this, on all.
constexpr StopWhen kCompare{20, 1e-3};
constexpr double kCloseBehind = 0.1;

// Noise that is this share of the outputs' variance calls for another start on more observations.
constexpr double kSuspiciousNoise = 0.2;
constexpr StopWhen kSecondOpinion{40, 5e-4};

bool is_ahead(const Contender& a, const Contender& b) { return a.value > b.value; }

// The best of one family that the starts lead to. One that cannot beat `to_beat` is given up.
Contender best_of(const TrainingSet& set, KernelFamily family, const TrainingPlan& plan,
                  const std::vector<VectorXd>& starts, double to_beat, TrainResult& result) {
  Contender best{family, plan.current};
  StopWhen stop = kFirstLook;
  for (const VectorXd& start : starts) {
    Contender tried{family, plan.current};
    stop.beat = std::max(to_beat, best.value);
    optimise(set, plan, &start, stop, tried, result);
    ++result.record.starts;
    if (tried.value > best.value) best = std::move(tried);
  }
  return best;
}

// Long, medium and short length scales, little and much noise: from a single start, many irrelevant
// inputs or a rough function can end at "all noise". All families, most promising first.
std::vector<Contender> look_everywhere(const TrainingSet& set,
                                       const std::vector<KernelFamily>& families,
                                       const TrainingPlan& plan, TrainResult& result) {
  const double medium = medium_length_scale(set);
  std::vector<Contender> contenders;
  double best = -std::numeric_limits<double>::infinity();
  for (const KernelFamily family : families) {
    const Objective objective(set, family, plan.current, plan.fixed);
    std::vector<VectorXd> starts;
    if (plan.warm) starts.push_back(objective.parameters(plan.current));
    for (const double length_scale : {3.0 * medium, medium, 0.3 * medium}) {
      for (const double noise : {0.01, 0.3}) starts.push_back(objective.start(length_scale, noise));
    }
    contenders.push_back(best_of(set, family, plan, starts, best - kHopeless, result));
    best = std::max(best, contenders.back().value);
  }
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);
  std::erase_if(contenders, [&](const Contender& c) { return c.value < best - kHopeless; });
  return contenders;
}

// From a trained θ, a short start beside it is enough.
Contender look_around(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result) {
  const KernelFamily family = named_family(plan);
  const Objective objective(set, family, plan.current, plan.fixed);
  return best_of(
      set, family, plan,
      {objective.parameters(plan.current), objective.start(0.3 * medium_length_scale(set), 0.01)},
      -std::numeric_limits<double>::infinity(), result);
}

}  // namespace

Contender search(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result) {
  std::vector<KernelFamily> families{named_family(plan)};
  if (plan.kernel == KernelFamily::automatic) families.assign(kFamilies.begin(), kFamilies.end());
  const TrainingSet first = few(set);
  const TrainingSet second = more(set);
  StopWhen stop = kCompare;
  std::vector<Contender> contenders;
  const auto compare = [&](Contender contender) {
    optimise(second, plan, nullptr, stop, contender, result);
    stop.beat = std::max(stop.beat, contender.value);
    contenders.push_back(std::move(contender));
  };
  if (plan.warm && first.rows() > kCheap) {
    compare(look_around(first, plan, result));
    for (const KernelFamily family : families) {
      if (family == contenders.front().family) continue;
      Contender other{family, contenders.front().theta};
      other.theta.kernel = family;
      compare(std::move(other));
    }
  } else {
    for (Contender& contender : look_everywhere(first, families, plan, result))
      compare(std::move(contender));
  }
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);

  // "Mostly noise" may only mean that few observations did not show the function. Get a second
  // opinion from all of these, starting with little noise.
  Contender& first_in = contenders.front();
  const Objective objective(second, first_in.family, plan.current, plan.fixed);
  if (objective.noise_share(first_in.theta) > kSuspiciousNoise) {
    const VectorXd start = objective.start(medium_length_scale(set), 0.01);
    Contender other = first_in;
    stop = kSecondOpinion;
    stop.beat = first_in.value;
    optimise(second, plan, &start, stop, other, result);
    ++result.record.starts;
    if (other.value > first_in.value) first_in = other;
  }

  const auto margin = [&] {
    return contenders.size() > 1 ? contenders[0].value - contenders[1].value : 0.0;
  };
  result.record.kernel_margin = margin();
  // Those close behind have their chance on the whole set.
  const double close = first_in.value - kCloseBehind;
  std::erase_if(contenders, [&](const Contender& c) { return c.value < close; });
  for (Contender& contender : contenders) contender.value = value_of(set, plan, contender.theta);
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);
  if (contenders.size() > 1) result.record.kernel_margin = margin();
  return contenders.front();
}

}  // namespace splitgp
