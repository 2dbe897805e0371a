#include "core/train/theta_training.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/train/theta_parameters.h"
#include "core/train/training_set.h"

namespace splitgp {
namespace {

// The pull of the last θ, in log likelihood per observation for a step of one e-fold. Cells shrink
// as the stream grows, and small ones underestimate the signal variance and the length scales.
constexpr double kPull = 0.05;

// What a θ learned after a surprise must gain, per observation. Innovations three times as large as
// promised cost three nats each; half a nat tells a change from a bad hour.
constexpr double kSurprising = 0.5;

}  // namespace

TrainingPlan training_plan(const StreamKnowledge& knowledge, const Options& options,
                           const TrainingSet& set, bool search) {
  TrainingPlan plan{options.kernel, options.fixed, options.trend, knowledge.theta->values};
  plan.warm = knowledge.schedule.ever_trained() || knowledge.theta_given;
  plan.search = search;
  plan.threads = options.threads;
  // What earlier trainings saw and this one does not; nothing while the set holds the whole stream.
  if (set.observations > 0) {
    const double now = static_cast<double>(set.observations);
    const double before = static_cast<double>(knowledge.trained_on);
    const double all = static_cast<double>(std::max<std::uint64_t>(set.sequence - set.regime, 1));
    const double unseen = 1.0 - now / all;
    plan.memory = kPull * std::max(0.0, unseen) * std::min(1.0, before / now);
  }
  return plan;
}

TrainingPlan surprise_plan(const StreamKnowledge& knowledge, const Options& options,
                           const TrainingSet& set) {
  TrainingPlan plan = training_plan(knowledge, options, set, true);
  plan.surprised = true;
  plan.worthwhile = kSurprising;
  return plan;
}

bool surprise_due(const StreamKnowledge& knowledge) {
  const Surprise& surprise = knowledge.surprise;
  const std::uint64_t n = knowledge.observations;
  // What was never as usual is not new.
  return (surprise.loud() || surprise.quiet()) && surprise.rows() < n &&
         knowledge.schedule.surprise_due(n, n - surprise.rows(),
                                         knowledge.length_scale_groups.size());
}

std::uint64_t rows_before_surprise(const StreamKnowledge& knowledge) {
  const Surprise& surprise = knowledge.surprise;
  // Every row is one more unusual one at most.
  return std::max(surprise.rows_before(),
                  knowledge.schedule.rows_before_surprise(knowledge.observations, surprise.rows(),
                                                          knowledge.length_scale_groups.size()));
}

const TrainResult& record(StreamHistory& knowledge, TrainResult result,
                          std::shared_ptr<Theta> made) {
  // Everything that needs memory comes first: then it is recorded, or nothing has happened.
  std::vector<TrainResult>& history = knowledge.training_history;
  if (history.size() == history.capacity()) history.reserve(2 * history.size() + 16);
  if (result.adopted && !made) made = std::make_shared<Theta>(std::move(result.theta), 0);
  result.theta = result.adopted ? made->values : knowledge.theta->values;

  TrainingSchedule& schedule = knowledge.schedule;
  if (result.surprised) schedule.surprised(result.sequence, result.record.regime, result.adopted);
  if (result.failed) {
    schedule.put_off(result.sequence);
  } else {
    const bool in_vain = result.surprised && !result.adopted;
    schedule.trained(result.sequence, result.record.searched && !in_vain);
    if (in_vain) knowledge.surprise.get_used();
  }
  if (result.adopted) knowledge.adopt(std::move(made));
  result.theta_version = knowledge.theta->version;
  knowledge.trained_on = result.observations;
  return history.emplace_back(std::move(result));
}

bool scale_due(const StreamKnowledge& knowledge) {
  return !knowledge.schedule.ever_trained() && !knowledge.theta_given &&
         std::has_single_bit(knowledge.observations);
}

void follow_scale(StreamKnowledge& knowledge, const Options& options) {
  TrainingSet scale = scale_of(knowledge);
  if (knowledge.observations == 1) {
    // One observation shows where the outputs lie, and suggests that they vary by as much.
    const auto size = scale.output_mean.array().abs();
    scale.output_spread = (size > 1e-130).select(size, 1.0);
  } else {
    // Turns the spread of n observations into that of the next one's distance from their mean.
    const auto count = static_cast<double>(knowledge.observations);
    scale.output_spread *= std::sqrt((count + 1.0) / (count - 1.0));
  }
  const Hyperparameters& now = knowledge.theta->values;
  const ThetaParameters parameters(scale, now.kernel, now, options.fixed);
  knowledge.adopt(parameters.theta(parameters.start(medium_length_scale(scale), 0.1)));
}

}  // namespace splitgp
