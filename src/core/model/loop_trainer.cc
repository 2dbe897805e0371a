#include "core/model/loop_trainer.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/base/operations.h"
#include "core/model/model_state.h"
#include "core/model/model_training.h"
#include "core/train/train.h"

namespace splitgp {

using Eigen::Index;

namespace {

// θ's that some local GP may still have: trainings come far more slowly than renewals.
constexpr std::size_t kRetired = 64;

// With room for every part, so that any θ of the same model can be copied into it.
Hyperparameters largest_theta(const StreamKnowledge& knowledge) {
  Hyperparameters theta = knowledge.theta->values;
  theta.length_scale.resize(knowledge.inputs());
  theta.trend_origin.resize(knowledge.inputs());
  theta.trend_slope.resize(knowledge.inputs() * knowledge.outputs());
  theta.mean.resize(knowledge.outputs());
  theta.output_scale.resize(knowledge.outputs());
  return theta;
}

void copy_briefly(const TrainResult& from, TrainResult& to) {
  to.observations = from.observations;
  to.theta_version = from.theta_version;
  to.theta = from.theta;
}

}  // namespace

LoopTrainer::Known::Known(const StreamKnowledge& knowledge)
    : groups(knowledge.length_scale_groups),
      theta(knowledge.theta),
      theta_given(knowledge.theta_given),
      observations(knowledge.observations),
      input_statistics(knowledge.input_statistics),
      output_statistics(knowledge.output_statistics),
      schedule(knowledge.schedule),
      surprise(knowledge.surprise) {
  last.theta = before.theta = largest_theta(knowledge);
}

void LoopTrainer::Known::copy(const StreamKnowledge& knowledge) {
  theta = knowledge.theta;
  theta_given = knowledge.theta_given;
  observations = knowledge.observations;
  input_statistics = knowledge.input_statistics;
  output_statistics = knowledge.output_statistics;
  schedule = knowledge.schedule;
  surprise = knowledge.surprise;
  any_history = !knowledge.training_history.empty();
  if (!any_history) return;
  copy_briefly(knowledge.training_history.back(), last);
  const auto found =
      std::find_if(knowledge.training_history.rbegin(), knowledge.training_history.rend(),
                   [&](const TrainResult& one) {
                     return one.theta_version == knowledge.schedule.marks().theta_before;
                   });
  copy_briefly(
      found == knowledge.training_history.rend() ? knowledge.training_history.back() : *found,
      before);
}

StreamKnowledge LoopTrainer::Known::whole() const {
  StreamKnowledge knowledge(groups, output_statistics.mean().size(), theta->values, theta_given);
  knowledge.theta = theta;
  knowledge.observations = observations;
  knowledge.input_statistics = input_statistics;
  knowledge.output_statistics = output_statistics;
  knowledge.schedule = schedule;
  knowledge.surprise = surprise;
  if (any_history) knowledge.training_history = {before, last};
  return knowledge;
}

LoopTrainer::LoopTrainer(const ModelState& model, Index local_gps)
    : options_(model.options),
      known_(model.knowledge),
      copies_(static_cast<std::size_t>(local_gps)) {
  const Index most = Index{model.options.capacity} + 2;
  for (Copy& copy : copies_) {
    copy.inputs.setZero(most, model.inputs);
    copy.outputs.setZero(most, model.outputs);
    copy.noise_variance.setZero(most);
    copy.sequence.reserve(static_cast<std::size_t>(most));
    copy.owned.reserve(static_cast<std::size_t>(most));
  }
  retired_.reserve(kRetired);
  being_retired_.reserve(kRetired);
  thread_ = std::thread([this] { work(); });
}

LoopTrainer::~LoopTrainer() {
  {
    const std::lock_guard lock(sleeping_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LoopTrainer::begin(Due due, const ModelState& model) {
  due_ = due;
  known_.copy(model.knowledge);
  copied_ = 0;
  stage_.store(Stage::copying, std::memory_order_relaxed);
}

void LoopTrainer::copy_next(const ModelState& model) {
  const Index most = std::min<Index>(model.partition.size(), std::ssize(copies_));
  if (due_ != Due::scale && copied_ < most) {
    const LocalGp& local = model.partition.at(copied_);
    Copy& copy = copies_[static_cast<std::size_t>(copied_++)];
    const Index n = local.size();
    copy.count = n;
    copy.inputs.topRows(n) = local.inputs();
    copy.outputs.topRows(n) = local.outputs();
    copy.noise_variance.head(n) = local.noise_variance();
    copy.sequence.clear();
    copy.owned.clear();
    for (Index j = 0; j < n; ++j) {
      copy.sequence.push_back(local.sequence(j));
      copy.owned.push_back(local.owns(j) ? 1 : 0);
    }
    count_operations(n * (local.inputs().cols() + local.outputs().cols() + 2));
    return;
  }
  // The θ's that were adopted since are the other thread's to free.
  while (!retired_.empty() && being_retired_.size() < being_retired_.capacity()) {
    being_retired_.push_back(std::move(retired_.back()));
    retired_.pop_back();
  }
  enter(Stage::training);
}

// To the other thread, which may be asleep until then.
void LoopTrainer::enter(Stage next) {
  {
    const std::lock_guard lock(sleeping_);
    stage_.store(next, std::memory_order_release);
  }
  changed_.notify_all();
}

void LoopTrainer::wait() const {
  std::unique_lock lock(sleeping_);
  changed_.wait(lock, [&] { return stage() != Stage::training; });
}

void LoopTrainer::retire(const ThetaPointer& theta) {
  if (retired_.size() < retired_.capacity()) retired_.push_back(theta);
}

void LoopTrainer::work() {
  while (true) {
    {
      std::unique_lock lock(sleeping_);
      changed_.wait(lock, [&] { return stopping_ || stage() == Stage::training; });
      if (stopping_) return;
    }
    free_retired();
    try {
      train_copy();
    } catch (const std::exception&) {
      outcome_.due = Due::nothing;  // no memory for it: θ stays
    }
    enter(Stage::finished);
  }
}

// Those that only this list has.
void LoopTrainer::free_retired() {
  std::erase_if(being_retired_, [](const ThetaPointer& theta) { return theta.use_count() == 1; });
}

Partition LoopTrainer::copied_partition() const {
  Partition partition(known_.input_statistics.mean().size());
  for (Index i = 0; i < copied_; ++i) {
    const Copy& copy = copies_[static_cast<std::size_t>(i)];
    LocalGp::Points points{copy.inputs.topRows(copy.count), copy.outputs.topRows(copy.count),
                           copy.noise_variance.head(copy.count), copy.sequence, copy.owned};
    partition.local_gps.emplace_back(LocalGp::restore(std::move(points), known_.theta, options_));
    partition.centers.set(i, partition.at(i).center(), known_.theta->kernel);
  }
  return partition;
}

void LoopTrainer::train_copy() {
  StreamKnowledge knowledge = known_.whole();
  outcome_.due = due_;
  if (due_ == Due::scale) {
    follow_scale(knowledge, options_);
    outcome_.theta = std::make_shared<Theta>(knowledge.theta->values, 0);
    return;
  }
  const Partition partition = copied_partition();
  const TrainingSet set = training_set_for(due_, knowledge, partition, options_);
  outcome_.result = train(set, plan_for(due_, knowledge, options_, set));
  outcome_.theta = nullptr;
  if (outcome_.result.adopted) {
    outcome_.theta = std::make_shared<Theta>(outcome_.result.theta, 0);
  } else {
    // What is recorded then; the loop's thread copies into it.
    outcome_.result.theta = known_.theta->values;
  }
}

std::size_t LoopTrainer::memory_bytes() const {
  std::size_t bytes = sizeof(*this);
  for (const Copy& copy : copies_) {
    bytes += static_cast<std::size_t>(copy.inputs.size() + copy.outputs.size() +
                                      copy.noise_variance.size()) *
                 sizeof(double) +
             copy.sequence.capacity() * sizeof(std::uint64_t) + copy.owned.capacity();
  }
  return bytes;
}

}  // namespace splitgp
