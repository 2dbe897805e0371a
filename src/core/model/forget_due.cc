// What a window, a budget and an age make a model forget before it learns one more observation.
#include <limits>
#include <optional>

#include "core/model/forget.h"
#include "core/model/merge.h"
#include "core/model/redundancy.h"

namespace splitgp {

using Eigen::Index;

namespace {

// The oldest observation that is held.  REQUIRES: there is one.
std::uint64_t oldest(Partition& partition) {
  while (!partition.holders.contains(partition.oldest)) ++partition.oldest;
  return partition.oldest;
}

bool full(const ModelState& model) {
  const auto most = static_cast<std::uint64_t>(model.options.max_observations);
  return most > 0 && model.partition.held >= most;
}

// The first number that the window still holds once one more is learned.
std::uint64_t window_begins(const ModelState& model) {
  const auto size = static_cast<std::uint64_t>(model.options.window_size);
  const std::uint64_t seen = model.knowledge.observations + 1;
  return size == 0 || seen < size ? 0 : seen - size;
}

bool has_expired(const ModelState& model, double time) {
  return model.options.max_age > 0.0 && !model.expiry.empty() &&
         model.expiry.oldest().time < time - model.options.max_age;
}

std::optional<std::uint64_t> next_due(ModelState& model, const Observation& observation) {
  Partition& partition = model.partition;
  if (partition.held == 0) return std::nullopt;
  if (model.reserved && model.reserved->forgetting) return model.reserved->forgetting;
  while (has_expired(model, observation.time)) {
    const std::uint64_t sequence = model.expiry.oldest().sequence;
    model.expiry.drop_oldest();
    if (partition.holders.contains(sequence)) return sequence;  // it may be forgotten already
  }
  if (model.options.window_size > 0 && oldest(partition) < window_begins(model))
    return partition.oldest;
  if (!full(model)) return std::nullopt;
  return model.options.forget == Forget::oldest ? oldest(partition) : redundant(model, observation);
}

}  // namespace

bool forgets_at(const ModelState& model, const Observation& observation) {
  if (!forgets(model.options) || model.partition.held == 0) return false;
  if (model.reserved && (model.reserved->forgetting || model.reserved->merging >= 0)) return true;
  return full(model) || model.partition.oldest < window_begins(model) ||
         has_expired(model, observation.time);
}

Forgotten forget_due(ModelState& model, const Observation& observation) {
  Forgotten forgotten;
  if (!forgets_at(model, observation)) return forgotten;
  if (model.reserved) merge_next(model);
  Index most_holders =
      model.reserved ? model.reserved->most_holders : std::numeric_limits<Index>::max();
  while (forgotten.size() < Forgotten::kMost) {
    const std::optional<std::uint64_t> due = next_due(model, observation);
    if (!due) break;
    const bool gone = forget_one(model, *due, most_holders);
    if (model.reserved) model.reserved->forgetting = gone ? std::nullopt : due;
    if (!gone) break;
    forgotten.add(*due);
  }
  // The window and the budget do not wait for the age.
  while (!model.expiry.empty() && !model.partition.holders.contains(model.expiry.oldest().sequence))
    model.expiry.drop_oldest();
  return forgotten;
}

}  // namespace splitgp
