#include "core/model/training_copy.h"

#include <algorithm>
#include <utility>

#include "core/base/operations.h"
#include "core/model/model_state.h"

namespace splitgp {

using Eigen::Index;

namespace {

// With room for every part, so that any θ of the same model can be copied into it.
Hyperparameters largest_theta(const StreamKnowledge& knowledge) {
  Hyperparameters theta = knowledge.theta->values;
  theta.length_scale.resize(knowledge.inputs());
  theta.trend_origin.resize(knowledge.inputs());
  theta.trend_range.resize(knowledge.inputs());
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

TrainingCopy::Known::Known(const StreamKnowledge& knowledge)
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

void TrainingCopy::Known::copy(const StreamKnowledge& knowledge) {
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

StreamKnowledge TrainingCopy::Known::whole() const {
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

TrainingCopy::TrainingCopy(const ModelState& model, Index local_gps)
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
}

void TrainingCopy::begin(const StreamKnowledge& knowledge) {
  known_.copy(knowledge);
  copied_ = 0;
}

bool TrainingCopy::copy_next(const Partition& partition) {
  if (copied_ >= std::min<Index>(partition.size(), std::ssize(copies_))) return false;
  const LocalGp& local = partition.at(copied_);
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
  return true;
}

StreamKnowledge TrainingCopy::knowledge() const { return known_.whole(); }

Partition TrainingCopy::partition() const {
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

std::size_t TrainingCopy::memory_bytes() const {
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
