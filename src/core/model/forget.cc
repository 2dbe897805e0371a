#include "core/model/forget.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/merge.h"
#include "core/partition/holding.h"
#include "splitgp/error.h"

namespace splitgp {

using Eigen::Index;

namespace {

std::string listed(const std::vector<std::uint64_t>& numbers) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, numbers.size()); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  if (numbers.size() > kMost) text += " and " + std::to_string(numbers.size() - kMost) + " more";
  return text;
}

void check(const ModelState& model, const std::vector<std::uint64_t>& sorted) {
  std::vector<std::uint64_t> wrong;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] == sorted[i - 1] && (wrong.empty() || wrong.back() != sorted[i]))
      wrong.push_back(sorted[i]);
  }
  if (!wrong.empty()) throw InvalidArgument("sequences names more than once: " + listed(wrong));
  const std::uint64_t seen = model.knowledge.observations;
  for (const std::uint64_t sequence : sorted) {
    if (sequence >= seen) wrong.push_back(sequence);
  }
  if (!wrong.empty()) {
    throw InvalidArgument("sequences names observations that were never made: " + listed(wrong) +
                          "; the model has seen " + std::to_string(seen) + ", counted from 0");
  }
  for (const std::uint64_t sequence : sorted) {
    if (!model.partition.holders.contains(sequence)) wrong.push_back(sequence);
  }
  if (!wrong.empty()) {
    throw InvalidArgument("sequences names observations that are forgotten already: " +
                          listed(wrong));
  }
}

// Nothing is left: what was learned about the columns described what is gone, and one value has no
// spread to hide in.
void forget_columns(ModelState& model) {
  model.knowledge.input_statistics = StreamStatistics(model.inputs);
  model.knowledge.output_statistics = StreamStatistics(model.outputs);
  model.expiry.clear();
}

// A local GP and an observation that it has to drop.
struct Holding {
  Index local_gp;
  std::uint64_t sequence;
};

// Drops the observations `of` one local GP.
void drop(ModelState& model, std::span<const Holding> of, std::vector<Index>& rows) {
  Partition& partition = model.partition;
  const Index i = of.front().local_gp;
  LocalGp& local = partition.at(i);
  rows.clear();
  for (const Holding& holding : of) {
    rows.push_back(local.find(holding.sequence));
    lost(partition, i, holding.sequence);
  }
  std::sort(rows.begin(), rows.end());
  const Index owned = local.owned();
  local.forget(rows);
  if (local.owned() < owned && local.owned() > 0)
    partition.centers.set(i, local.center(), model.knowledge.theta->kernel);
}

}  // namespace

namespace {

// The owner loses it last, so that whoever looks finds it held by all or by its owner.
Index owner_among(ModelState& model, std::uint64_t sequence) {
  for (const Index i : model.found) {
    const LocalGp& local = model.partition.at(i);
    if (local.owns(local.find(sequence))) return i;
  }
  return -1;
}

// A reserved model merges step by step, and one after the other.
void merge_if_small(ModelState& model, Index owner) {
  if (!is_small(model, owner)) return;
  if (!model.reserved || model.partition.at(owner).owned() == 0) {
    merge(model, owner, nullptr);
  } else if (model.reserved->merging < 0) {
    model.reserved->merging = owner;
  }
}

}  // namespace

bool forget_one(ModelState& model, std::uint64_t sequence, Index& most_holders) {
  Partition& partition = model.partition;
  partition.holders.of(sequence, model.found);
  const Index owner = owner_among(model, sequence);
  const auto drop_from = [&](Index i) {
    LocalGp& local = partition.at(i);
    const Index row[] = {local.find(sequence)};
    local.forget(row);
    lost(partition, i, sequence);
    --most_holders;
  };
  for (const Index i : model.found) {
    if (i == owner) continue;
    if (most_holders == 0) return false;
    drop_from(i);
  }
  if (most_holders == 0) return false;
  drop_from(owner);
  if (partition.at(owner).owned() > 0) {
    partition.centers.set(owner, partition.at(owner).center(), model.knowledge.theta->kernel);
  }
  --partition.held;
  if (partition.changes.recorded) partition.changes.forgotten.push_back(sequence);
  merge_if_small(model, owner);
  if (partition.held == 0) forget_columns(model);
  return true;
}

ForgetResult forget(ModelState& model, std::span<const std::uint64_t> sequences) {
  Partition& partition = model.partition;
  know_holders(partition);
  std::vector<std::uint64_t> sorted(sequences.begin(), sequences.end());
  std::sort(sorted.begin(), sorted.end());
  check(model, sorted);

  ForgetResult result;
  result.forgotten = sorted.size();
  std::vector<Holding> holdings;
  std::vector<Index> owners;
  for (const std::uint64_t sequence : sorted) {
    partition.holders.of(sequence, model.found);
    for (const Index i : model.found) {
      holdings.push_back({i, sequence});
      if (partition.at(i).owns(partition.at(i).find(sequence))) owners.push_back(i);
    }
  }
  std::sort(holdings.begin(), holdings.end(), [](const Holding& a, const Holding& b) {
    return a.local_gp != b.local_gp ? a.local_gp < b.local_gp : a.sequence < b.sequence;
  });
  std::vector<Index> rows;
  for (auto first = holdings.begin(); first != holdings.end();) {
    const auto end = std::find_if(first, holdings.end(), [&](const Holding& holding) {
      return holding.local_gp != first->local_gp;
    });
    drop(model, {first, end}, rows);
    first = end;
  }
  partition.held -= sorted.size();
  if (partition.changes.recorded)
    partition.changes.forgotten.insert(partition.changes.forgotten.end(), sorted.begin(),
                                       sorted.end());

  // From the last number down: merging gives a number away only to what has been looked at.
  std::sort(owners.begin(), owners.end(), std::greater<>());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  for (const Index i : owners) {
    if (is_small(model, i)) merge(model, i, &result.merged);
  }
  if (model.reserved && model.reserved->forgetting &&
      !partition.holders.contains(*model.reserved->forgetting)) {
    model.reserved->forgetting.reset();
  }
  if (partition.held == 0) forget_columns(model);
  return result;
}

std::vector<std::uint64_t> held_before(ModelState& model, std::uint64_t sequence) {
  Partition& partition = model.partition;
  if (sequence > model.knowledge.observations) {
    throw InvalidArgument("sequence is " + std::to_string(sequence) + "; the model has seen " +
                          std::to_string(model.knowledge.observations) + " observations");
  }
  know_holders(partition);
  std::vector<std::uint64_t> found;
  for (std::uint64_t one = partition.oldest; one < sequence; ++one) {
    if (partition.holders.contains(one)) found.push_back(one);
  }
  partition.oldest = std::max(partition.oldest, sequence);
  return found;
}

}  // namespace splitgp
