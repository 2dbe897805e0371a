#include "core/model/model_training.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "core/base/bounded_history.h"
#include "core/base/factor_memory.h"
#include "core/partition/renewing.h"
#include "core/train/regime_set.h"
#include "core/train/training_set.h"

namespace splitgp {

using Eigen::Index;

namespace {

class LocalGpRegions : public TrainingRegions {
 public:
  explicit LocalGpRegions(const Partition& partition) : partition_(partition) {}

  const Centers& centers() const override { return partition_.centers; }
  Eigen::VectorXd center(Index i) const override { return partition_.at(i).center(); }
  Index size(Index i) const override { return partition_.at(i).size(); }
  Index owned(Index i) const override { return partition_.at(i).owned(); }

  void append(Index i, bool owned_only, TrainingSet::Block& block) const override {
    const LocalGp& local = partition_.at(i);
    Index row = block.inputs.rows();
    const Index rows = row + (owned_only ? local.owned() : local.size());
    block.inputs.conservativeResize(rows, local.inputs().cols());
    block.outputs.conservativeResize(rows, local.outputs().cols());
    block.noise_variance.conservativeResize(rows);
    for (Index j = 0; j < local.size(); ++j) {
      if (owned_only && !local.owns(j)) continue;
      block.inputs.row(row) = local.inputs().row(j);
      block.outputs.row(row) = local.outputs().row(j);
      block.noise_variance(row++) = local.noise_variance()(j);
      block.sequence.push_back(local.sequence(j));
    }
  }

 private:
  const Partition& partition_;
};

Due what_is_due(const ModelState& model) {
  const StreamKnowledge& knowledge = model.knowledge;
  if (model.options.surprise && begins_regime(knowledge)) return Due::surprise;
  if (knowledge.schedule.due(knowledge.observations)) return Due::stream;
  if (knowledge.schedule.regime_due(knowledge.observations)) return Due::regime;
  return scale_due(knowledge) ? Due::scale : Due::nothing;
}

constexpr auto kAtOnce = std::numeric_limits<std::uint64_t>::max();

// A surprise cannot wait long, and has few rows to show.
constexpr Index kSurpriseObservations = 800;

std::uint64_t training_seed(const ModelState& model) {
  return model.options.seed + model.knowledge.observations;
}

// The first of the rows that a training looks at; 0: all.
std::uint64_t regime_of(const ModelState& model, Due due) {
  const StreamKnowledge& knowledge = model.knowledge;
  return due == Due::surprise ? knowledge.observations - knowledge.surprise.rows()
                              : knowledge.schedule.regime();
}

// Records the result of a training.
const TrainResult& keep(ModelState& model, TrainResult result,
                        std::shared_ptr<Theta> made = nullptr) {
  StreamKnowledge& knowledge = model.knowledge;
  record(knowledge, std::move(result), std::move(made));
  if (forgets(model.options))
    bound_history(knowledge.training_history, knowledge.trainings_dropped);
  return knowledge.training_history.back();
}

// Adopts what has been found beside the updates; true if that was a training.
bool take_finished(ModelState& model) {
  TrainingOutcome* outcome = model.trainer.take();
  if (outcome == nullptr) return false;
  if (outcome->due == Due::nothing) return false;  // it failed, and is due again
  const bool scale = outcome->due == Due::scale;
  const ThetaPointer before = model.knowledge.theta;
  if (!scale) {
    keep(model, std::move(outcome->result), std::move(outcome->theta));
  } else if (!model.knowledge.schedule.ever_trained()) {
    model.knowledge.adopt(std::move(outcome->theta));
  }
  if (before != model.knowledge.theta) model.trainer.retire(before);
  return !scale;
}

// True if that was a training.
bool train_at_once(ModelState& model, Due due) {
  StreamKnowledge& knowledge = model.knowledge;
  if (due == Due::scale) {
    follow_scale(knowledge, model.options);
    // They are still few and small, and all that they say is in the old units.
    while (renew(model.partition, knowledge.theta, {}, kAtOnce) >= 0) {
    }
    return false;
  }
  const TrainingSet set = training_set_for(due, knowledge, model.partition, model.options);
  keep(model, train(set, plan_for(due, knowledge, model.options, set)));
  factor_memory::touch_ahead();
  return true;
}

}  // namespace

TrainingSet training_set_for(Due due, const StreamKnowledge& knowledge, const Partition& partition,
                             const Options& options) {
  const Index most = options.training_observations;
  const std::uint64_t seed = options.seed + knowledge.observations;
  const std::uint64_t regime = due == Due::surprise
                                   ? knowledge.observations - knowledge.surprise.rows()
                                   : knowledge.schedule.regime();
  if (regime == 0) return draw_training_set(knowledge, LocalGpRegions(partition), most, seed);
  return draw_regime_set(knowledge, partition, regime,
                         due == Due::stream ? most : std::min(most, kSurpriseObservations), seed);
}

TrainingPlan plan_for(Due due, const StreamKnowledge& knowledge, const Options& options,
                      const TrainingSet& set) {
  if (due == Due::surprise) return surprise_plan(knowledge, options);
  const TrainingSchedule& schedule = knowledge.schedule;
  if (due == Due::stream) {
    return training_plan(knowledge, options, set, schedule.search_due(knowledge.observations));
  }
  TrainingPlan plan =
      training_plan(knowledge, options, set, schedule.regime_search_due(knowledge.observations));
  plan.surprised = true;
  // Only a burst is over that soon; later, θ before the regime has had its time.
  if (schedule.is_young()) plan.before = theta_before(knowledge);
  return plan;
}

TrainingSet draw_training_set(const ModelState& model, Index most_observations,
                              std::uint64_t seed) {
  return draw_training_set(model.knowledge, LocalGpRegions(model.partition), most_observations,
                           seed);
}

std::uint64_t rows_before_training(const ModelState& model) {
  const StreamKnowledge& knowledge = model.knowledge;
  if (model.options.training == Training::off) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t n = knowledge.observations;
  std::uint64_t rows = knowledge.schedule.rows_before(n);
  // θ follows the scale of the data at 1, 2, 4, … observations.
  if (!knowledge.schedule.ever_trained() && !knowledge.theta_given)
    rows = std::min(rows, std::bit_ceil(n + 1) - n);
  if (model.options.surprise && knowledge.schedule.ever_trained())
    rows = std::min(rows, rows_before_regime(knowledge));
  return std::max<std::uint64_t>(rows, 1);
}

std::vector<Index> drawn_whole(const ModelState& model, const std::vector<Index>& sizes) {
  // A dry run: observations that are all 0, in as many rows as there will be.
  class Sizes : public TrainingRegions {
   public:
    Sizes(const Partition& partition, const std::vector<Index>& sizes)
        : partition_(partition), sizes_(sizes) {}
    const Centers& centers() const override { return partition_.centers; }
    Eigen::VectorXd center(Index i) const override { return partition_.at(i).center(); }
    Index size(Index i) const override { return sizes_[static_cast<std::size_t>(i)]; }
    Index owned(Index i) const override { return partition_.at(i).owned(); }
    void append(Index i, bool owned_only, TrainingSet::Block& block) const override {
      const LocalGp& local = partition_.at(i);
      const Index rows = block.inputs.rows() + (owned_only ? local.owned() : size(i));
      block.inputs.setZero(rows, local.inputs().cols());
      block.outputs.setZero(rows, local.outputs().cols());
      block.noise_variance.setZero(rows);
      block.sequence.resize(static_cast<std::size_t>(rows));
      if (!owned_only) whole.push_back(i);
    }
    mutable std::vector<Index> whole;

   private:
    const Partition& partition_;
    const std::vector<Index>& sizes_;
  };
  if (model.options.training == Training::off) return {};
  const Due due = what_is_due(model);
  if (due == Due::nothing || due == Due::scale || regime_of(model, due) > 0) return {};
  const Sizes regions(model.partition, sizes);
  draw_training_set(model.knowledge, regions, model.options.training_observations,
                    training_seed(model));
  return regions.whole;
}

namespace {

bool train_what_is_due(ModelState& model) {
  if (model.options.training == Training::off) return false;
  const bool trained = take_finished(model);
  if (!model.trainer.is_idle()) return trained;
  const Due due = what_is_due(model);
  if (due == Due::nothing) return trained;
  const bool beside = model.options.training == Training::background &&
                      (due != Due::scale || model.trainer.is_reserved());
  if (!beside) return train_at_once(model, due) || trained;
  model.trainer.begin(due, model);
  return trained;
}

// What could not even be begun counts as a training, so that the next row does not try it again.
void keep_failed(ModelState& model) {
  const Due due = what_is_due(model);
  TrainResult failed;
  failed.failed = true;
  failed.sequence = model.knowledge.observations;
  failed.surprised = due == Due::surprise;
  failed.record.regime = regime_of(model, due);
  keep(model, std::move(failed));
}

}  // namespace

bool train_if_due(ModelState& model) {
  const ThetaPointer before = model.knowledge.theta;
  const std::size_t trainings = model.knowledge.training_history.size();
  try {
    return train_what_is_due(model);
  } catch (const std::exception&) {  // std::bad_alloc, or a thread that could not be started
    const bool changed =
        model.knowledge.theta != before || model.knowledge.training_history.size() != trainings;
    if (changed) throw;  // a local GP may be refitted by half
  }
  try {
    keep_failed(model);
  } catch (const std::bad_alloc&) {
    // The next row tries again.
  }
  return false;
}

TrainResult train_now(ModelState& model) {
  const TrainingSet set =
      training_set_for(Due::stream, model.knowledge, model.partition, model.options);
  return keep(model, train(set, training_plan(model.knowledge, model.options, set, true)));
}

void finish_training(ModelState& model) {
  while (model.trainer.is_gathering()) model.trainer.gather_next(model);
  model.trainer.wait();
  take_finished(model);
}

}  // namespace splitgp
