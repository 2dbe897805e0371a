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
#include "core/train/training_set.h"

namespace splitgp {

using Eigen::Index;

namespace {

// Local GPs with all that they hold or, where there is a regime, with the observations of it that
// they own and some of the older ones, which are given.
class LocalGpRegions : public TrainingRegions {
 public:
  explicit LocalGpRegions(const Partition& partition, std::uint64_t regime = 0)
      : partition_(partition), regime_(regime) {}

  const Centers& centers() const override { return partition_.centers; }
  Eigen::VectorXd center(Index i) const override { return partition_.at(i).center(); }
  Index size(Index i) const override { return regime_ > 0 ? owned(i) : partition_.at(i).size(); }
  Index owned(Index i) const override {
    return regime_ > 0 ? std::ssize(rows(i, true)) : partition_.at(i).owned();
  }

  void append(Index i, bool owned_only, TrainingSet::Block& block) const override {
    const LocalGp& local = partition_.at(i);
    const std::vector<Index> from = rows(i, owned_only);
    const Index n = std::ssize(from);
    block.inputs.conservativeResize(block.inputs.rows() + n, local.inputs().cols());
    block.outputs.conservativeResize(block.inputs.rows(), local.outputs().cols());
    block.noise_variance.conservativeResize(block.inputs.rows());
    block.inputs.bottomRows(n) = local.inputs()(from, Eigen::all);
    block.outputs.bottomRows(n) = local.outputs()(from, Eigen::all);
    block.noise_variance.tail(n) = local.noise_variance()(from);
    for (const Index j : from) block.sequence.push_back(local.sequence(j));
  }

 private:
  // What new rows follow from has to be there as in the local GPs: where it contradicts them and is
  // more, a θ that was shown little of it would be far too sure.
  static constexpr std::size_t kGivenForEachFresh = 3;

  std::vector<Index> rows(Index i, bool owned_only) const {
    const LocalGp& local = partition_.at(i);
    std::vector<Index> rows, older;
    for (Index j = 0; j < local.size(); ++j) {
      if ((owned_only || regime_ > 0) && !local.owns(j)) continue;
      (local.sequence(j) >= regime_ ? rows : older).push_back(j);
    }
    const std::size_t most = std::min(kGivenForEachFresh * rows.size(), older.size());
    for (std::size_t to = 0; to < most; ++to) rows.push_back(older[to * older.size() / most]);
    return rows;
  }

  const Partition& partition_;
  std::uint64_t regime_;
};

Due what_is_due(const ModelState& model) {
  const StreamKnowledge& knowledge = model.knowledge;
  if (model.options.surprise && surprise_due(knowledge)) return Due::surprise;
  if (knowledge.schedule.due(knowledge.observations)) return Due::stream;
  return scale_due(knowledge) ? Due::scale : Due::nothing;
}

constexpr auto kAtOnce = std::numeric_limits<std::uint64_t>::max();

std::uint64_t training_seed(const ModelState& model) {
  return model.options.seed + model.knowledge.observations;
}

// The first of the rows that a training looks at; 0: all.
std::uint64_t regime_of(const StreamKnowledge& knowledge, Due due) {
  return due == Due::surprise ? knowledge.observations - knowledge.surprise.rows()
                              : knowledge.schedule.regime();
}

// Records the result of a training.
const TrainResult& keep(ModelState& model, TrainResult result,
                        std::shared_ptr<Theta> made = nullptr) {
  StreamHistory& knowledge = model.knowledge;
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
  const std::uint64_t regime = regime_of(knowledge, due);
  return draw_training_set(knowledge, LocalGpRegions(partition, regime),
                           options.training_observations, options.seed + knowledge.observations,
                           regime);
}

TrainingPlan plan_for(Due due, const StreamKnowledge& knowledge, const Options& options,
                      const TrainingSet& set) {
  if (due == Due::surprise) return surprise_plan(knowledge, options, set);
  return training_plan(knowledge, options, set,
                       knowledge.schedule.search_due(knowledge.observations));
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
    rows = std::min(rows, rows_before_surprise(knowledge));
  return std::max<std::uint64_t>(rows, 1);
}

std::vector<Index> drawn_whole(const ModelState& model, const std::vector<Index>& sizes) {
  // A dry run: observations that are all 0, in as many rows as there will be.
  class Sizes : public LocalGpRegions {
   public:
    Sizes(const Partition& partition, const std::vector<Index>& sizes)
        : LocalGpRegions(partition), sizes_(sizes) {}
    Index size(Index i) const override { return sizes_[static_cast<std::size_t>(i)]; }
    void append(Index i, bool owned_only, TrainingSet::Block& block) const override {
      const Index rows = block.inputs.rows() + (owned_only ? owned(i) : size(i));
      block.inputs.setZero(rows, center(i).size());
      block.outputs.setZero(rows, 1);
      block.noise_variance.setZero(rows);
      block.sequence.resize(static_cast<std::size_t>(rows));
      if (!owned_only) whole.push_back(i);
    }
    mutable std::vector<Index> whole;

   private:
    const std::vector<Index>& sizes_;
  };
  if (model.options.training == Training::off) return {};
  const Due due = what_is_due(model);
  if (due == Due::nothing || due == Due::scale || regime_of(model.knowledge, due) > 0) return {};
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
  failed.record.regime = regime_of(model.knowledge, due);
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
