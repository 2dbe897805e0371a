#include "core/model/training_copy.h"

#include <algorithm>
#include <utility>

#include "core/base/operations.h"
#include "core/model/model_state.h"

namespace splitgp {

using Eigen::Index;

TrainingCopy::TrainingCopy(const ModelState& model, Index local_gps)
    : options_(model.options),
      known_(model.knowledge),
      copies_(static_cast<std::size_t>(local_gps)) {
  const Index most = Index{model.options.capacity} + 2;
  for (LocalGp::Points& copy : copies_) {
    copy.inputs.setZero(most, model.inputs);
    copy.outputs.setZero(most, model.outputs);
    copy.noise_variance.setZero(most);
    copy.sequence.reserve(static_cast<std::size_t>(most));
    copy.owned.reserve(static_cast<std::size_t>(most));
  }
}

void TrainingCopy::begin(const StreamKnowledge& knowledge) {
  known_ = knowledge;
  copied_ = 0;
}

bool TrainingCopy::copy_next(const Partition& partition) {
  if (copied_ >= std::min<Index>(partition.size(), std::ssize(copies_))) return false;
  const LocalGp& local = partition.at(copied_);
  LocalGp::Points& copy = copies_[static_cast<std::size_t>(copied_++)];
  const Index n = local.size();
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

Partition TrainingCopy::partition() const {
  Partition partition(known_.input_statistics.mean().size());
  for (Index i = 0; i < copied_; ++i) {
    const LocalGp::Points& copy = copies_[static_cast<std::size_t>(i)];
    const Index n = std::ssize(copy.sequence);
    LocalGp::Points points{copy.inputs.topRows(n), copy.outputs.topRows(n),
                           copy.noise_variance.head(n), copy.sequence, copy.owned};
    partition.local_gps.emplace_back(LocalGp::restore(std::move(points), known_.theta, options_));
    partition.centers.set(i, partition.at(i).center(), known_.theta->kernel);
  }
  return partition;
}

std::size_t TrainingCopy::memory_bytes() const {
  std::size_t bytes = sizeof(*this);
  for (const LocalGp::Points& copy : copies_) {
    bytes += static_cast<std::size_t>(copy.inputs.size() + copy.outputs.size() +
                                      copy.noise_variance.size()) *
                 sizeof(double) +
             copy.sequence.capacity() * sizeof(std::uint64_t) + copy.owned.capacity();
  }
  return bytes;
}

}  // namespace splitgp
