#include "core/search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/objective.h"

namespace splitgp {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Up to this many, every start is cheap.
constexpr Index kFewObservations = 150;
// A family this far behind, per observation, after the first look does not catch up.
constexpr double kHopeless = 0.1;
// The families' best are compared on more observations.
constexpr StopWhen kCompare{20, 1e-4};

// Noise that is this share of the outputs' variance calls for another start on more observations.
constexpr double kSuspiciousNoise = 0.2;
constexpr StopWhen kSecondOpinion{40, 1e-4};

Index rows_of(const TrainingSet& set) {
  Index rows = 0;
  for (const TrainingSet::Block& block : set.blocks) rows += block.inputs.rows();
  return rows;
}

// Long, medium and short length scales, little and much noise: from a single start, many irrelevant
// inputs or a rough function can end at "all noise". With a trained θ at hand, two of them are
// enough.
Contender first_look(const TrainingSet& set, KernelFamily family, const TrainingPlan& plan,
                     TrainResult& result) {
  const Objective objective(set, family, plan.current, plan.fixed);
  const double medium = medium_length_scale(set);
  std::vector<VectorXd> starts;
  if (plan.warm) starts.push_back(objective.parameters(plan.current));
  if (plan.warm && rows_of(set) > kFewObservations) {
    for (const double length_scale : {medium, 0.3 * medium}) {
      starts.push_back(objective.start(length_scale, 0.01));
    }
  } else {
    for (const double length_scale : {3.0 * medium, medium, 0.3 * medium}) {
      for (const double noise : {0.01, 0.3}) starts.push_back(objective.start(length_scale, noise));
    }
  }
  Contender best{family, plan.current};
  for (const VectorXd& start : starts) {
    Contender tried{family, plan.current};
    optimise(set, plan, &start, kFirstLook, tried, result);
    ++result.starts;
    if (tried.value > best.value) best = std::move(tried);
  }
  return best;
}

bool is_ahead(const Contender& a, const Contender& b) { return a.value > b.value; }

}  // namespace

Contender search(const TrainingSet& set, const TrainingPlan& plan, TrainResult& result) {
  const TrainingSet few = thin(set, kFirstLookObservations);
  const TrainingSet more = thin(set, kCompareObservations);
  std::vector<KernelFamily> families{named_family(plan)};
  if (plan.kernel == KernelFamily::automatic) families.assign(kFamilies.begin(), kFamilies.end());
  std::vector<Contender> contenders;
  for (const KernelFamily family : families)
    contenders.push_back(first_look(few, family, plan, result));
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);
  const double best = contenders.front().value;
  std::erase_if(contenders, [&](const Contender& c) { return c.value < best - kHopeless; });
  for (Contender& contender : contenders)
    optimise(more, plan, nullptr, kCompare, contender, result);
  std::stable_sort(contenders.begin(), contenders.end(), is_ahead);
  if (contenders.size() > 1) result.kernel_margin = contenders[0].value - contenders[1].value;

  // "Mostly noise" may only mean that few observations did not show the function. Get a second
  // opinion from all of these, starting with little noise.
  Contender winner = contenders.front();
  const Objective objective(more, winner.family, plan.current, plan.fixed);
  if (objective.noise_share(winner.theta) > kSuspiciousNoise) {
    const VectorXd start = objective.start(medium_length_scale(set), 0.01);
    Contender second = winner;
    optimise(more, plan, &start, kSecondOpinion, second, result);
    ++result.starts;
    if (second.value > winner.value) winner = second;
  }
  return winner;
}

}  // namespace splitgp
