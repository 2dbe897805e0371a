#include "core/model/forget.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/model/merge.h"
#include "core/model/model_state.h"
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

}  // namespace

// If nothing is left, neither is what was learned about the columns: it described what is gone, and
// one value has no spread to hide in.
void note_forgotten(ModelState& model, std::span<const std::uint64_t> sequences) {
  Partition& partition = model.partition;
  partition.held -= sequences.size();
  if (partition.changes.recorded)
    partition.changes.forgotten.insert(partition.changes.forgotten.end(), sequences.begin(),
                                       sequences.end());
  if (partition.held > 0) return;
  model.knowledge.input_statistics = StreamStatistics(model.inputs);
  model.knowledge.output_statistics = StreamStatistics(model.outputs);
  if (model.monitor.experts) model.monitor.experts.emplace(model.inputs, model.outputs);
  model.retention.clear();
}

ForgetResult forget(ModelState& model, std::span<const std::uint64_t> sequences) {
  Partition& partition = model.partition;
  partition.know_holders();
  std::vector<std::uint64_t> sorted(sequences.begin(), sequences.end());
  std::sort(sorted.begin(), sorted.end());
  check(model, sorted);

  ForgetResult result;
  result.forgotten = sorted.size();
  std::map<Index, std::vector<std::uint64_t>> held_by;
  std::set<Index, std::greater<>> owners;
  for (const std::uint64_t sequence : sorted) {
    const Index owner = *owners.insert(partition.owner_of(sequence)).first;
    if (model.monitor.experts) {
      const LocalGp& local = partition.at(owner);
      model.monitor.experts->forget(model.knowledge.observations - sequence,
                                    local.outputs().row(local.find(sequence)).transpose());
    }
    for (const Index i : partition.found) held_by[i].push_back(sequence);
  }
  for (const auto& [i, held] : held_by) partition.drop(i, held, model.knowledge.theta->kernel);
  note_forgotten(model, sorted);
  // From the last number down: merging gives a number away only to what has been looked at.
  for (const Index i : owners) {
    if (is_small(model, i)) merge(model, i, result.merged);
  }
  return result;
}

std::vector<std::uint64_t> held_before(ModelState& model, std::uint64_t sequence) {
  Partition& partition = model.partition;
  if (sequence > model.knowledge.observations) {
    throw InvalidArgument("sequence is " + std::to_string(sequence) + "; the model has seen " +
                          std::to_string(model.knowledge.observations) + " observations");
  }
  partition.know_holders();
  std::vector<std::uint64_t> found;
  for (std::uint64_t one = partition.oldest; one < sequence; ++one) {
    if (partition.holders.contains(one)) found.push_back(one);
  }
  partition.oldest = std::max(partition.oldest, sequence);
  return found;
}

}  // namespace splitgp
