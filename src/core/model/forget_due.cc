// What a window, a budget and an age make a model forget once it has learned one more observation.
#include <optional>

#include "core/model/forget.h"
#include "core/model/merge.h"
#include "core/model/model_state.h"
#include "core/model/redundancy.h"

namespace splitgp {

using Eigen::Index;

namespace {

// The oldest observation that is held.  REQUIRES: there is one.
std::uint64_t oldest(Partition& partition) {
  while (!partition.holders.contains(partition.oldest)) ++partition.oldest;
  return partition.oldest;
}

// The first number that the window still holds.
std::uint64_t window_begins(const ModelState& model) {
  const auto size = static_cast<std::uint64_t>(model.options.window_size);
  const std::uint64_t seen = model.knowledge.observations;
  return size == 0 || seen < size ? 0 : seen - size;
}

std::optional<std::uint64_t> next_due(ModelState& model, const Observation& row) {
  Partition& partition = model.partition;
  Retention& retention = model.retention;
  if (retention.forgetting && partition.holders.contains(*retention.forgetting))
    return retention.forgetting;
  if (partition.held == 0) return std::nullopt;
  // Some may be forgotten already: the window and the budget do not wait for the age.
  Expiry& expiry = retention.expiry;
  while (!expiry.empty() && !partition.holders.contains(expiry.oldest().sequence))
    expiry.drop_oldest();
  if (!expiry.empty() && expiry.oldest().time < row.time - model.options.max_age)
    return expiry.oldest().sequence;
  if (model.options.window_size > 0 && oldest(partition) < window_begins(model))
    return partition.oldest;
  const auto most = static_cast<std::uint64_t>(model.options.max_observations);
  if (most == 0 || partition.held <= most) return std::nullopt;
  const std::uint64_t first = oldest(partition);
  return model.options.forget == Forget::oldest ? first : redundant(model, row);
}

// One that is held; false if the budget is spent and some still hold it.
bool forget_one(ModelState& model, std::uint64_t sequence, Index& holders, UpdateResult& result) {
  Partition& partition = model.partition;
  const Kernel& kernel = model.knowledge.theta->kernel;
  const std::uint64_t one[] = {sequence};
  const Index owner = partition.owner_of(sequence);
  // The owner loses it last, so that whoever looks finds it held by all or by its owner.
  for (const Index i : partition.found) {
    if (i == owner) continue;
    if (holders-- == 0) return false;
    partition.drop(i, one, kernel);
  }
  if (holders-- == 0) return false;
  partition.drop(owner, one, kernel);
  note_forgotten(model, one);
  begin_merge(model, owner, result);
  return true;
}

}  // namespace

bool forget_due(ModelState& model, const Observation& row, UpdateResult& result) {
  if (!forgets(model.options)) return false;
  Index holders = model.budget.holders;
  while (result.record.forgotten.size() < Forgotten::kMost) {
    const std::optional<std::uint64_t> due = next_due(model, row);
    if (!due) break;
    const bool done = forget_one(model, *due, holders, result);
    model.retention.forgetting = done ? std::nullopt : due;
    if (!done) break;
    result.record.forgotten.add(*due);
  }
  return false;
}

}  // namespace splitgp
